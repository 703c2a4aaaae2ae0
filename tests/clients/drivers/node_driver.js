// eureka-js-client: node node_driver.js PORT-OF-THE-REGISTRY NAME ID
const readline = require('readline');
const { Eureka } = require('eureka-js-client');

const [port, name, instanceId] = process.argv.slice(2);
const client = new Eureka({
  instance: {
    app: name,
    instanceId,
    hostName: '127.0.0.1',
    ipAddr: '127.0.0.1',
    port: { $: 8123, '@enabled': true },
    vipAddress: name,
    dataCenterInfo: { '@class': 'com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo', name: 'MyOwn' },
    leaseInfo: { renewalIntervalInSecs: 1, durationInSecs: 30 },
  },
  eureka: {
    host: '127.0.0.1',
    port: Number(port),
    servicePath: '/eureka/apps/',
    heartbeatInterval: 1000,
    registryFetchInterval: 1000,
  },
});
client.logger.level('error');
client.start();
const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => console.log(client.getInstancesByAppId(line.trim().toUpperCase()).length));
lines.on('close', () => client.stop(() => process.exit(0)));
