import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;

/** Spring Cloud's client; settings come as arguments, names to look for as lines. */
@EnableAutoConfiguration
public class Driver {
    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext context = SpringApplication.run(Driver.class, arguments);
        DiscoveryClient client = context.getBean(DiscoveryClient.class);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(client.getInstances(line).size());
        }
        context.close();
    }
}
