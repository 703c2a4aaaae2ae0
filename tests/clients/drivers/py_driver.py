"""py-eureka-client: python py_driver.py PORT-OF-THE-REGISTRY NAME ID."""

import sys

from py_eureka_client import eureka_client  # type: ignore[import-not-found] # fetched by the test

port, name, instance_id = sys.argv[1:]
client = eureka_client.init(
    eureka_server=f"http://127.0.0.1:{port}/eureka/",
    app_name=name,
    instance_id=instance_id,
    instance_host="127.0.0.1",
    instance_ip="127.0.0.1",
    instance_port=8123,
    renewal_interval_in_secs=1,
    duration_in_secs=30,
)
for line in sys.stdin:
    found = client.applications.get_application(line.strip().upper())
    sys.stdout.write(f"{len(found.up_instances) if found else 0}\n")
    sys.stdout.flush()
eureka_client.stop()
