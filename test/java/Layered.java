import com.linkedin.tony.TonyClient;
import java.io.File;
import org.apache.hadoop.conf.Configuration;

/**
 * A program with a file of its own, the first word, in its Configuration, and a setting of its own.
 * Further words are flags.
 */
public class Layered {
  public static void main(String[] all) throws Exception {
    String[] flags = java.util.Arrays.copyOfRange(all, 1, all.length);
    Configuration conf = new Configuration(false);
    conf.addResource(new File(all[0]).toURI().toURL());
    conf.set("tony.worker.vcores", "1");
    TonyClient client = new TonyClient(conf);
    client.init(flags);
    System.out.println("start " + client.start());
  }
}
