import com.linkedin.tony.TonyClient;
import org.apache.hadoop.conf.Configuration;

/** Prints settings, the first words up to `--`, as they are after init() of the flags behind it. */
public class Merged {
  public static void main(String[] all) throws Exception {
    int names = java.util.Arrays.asList(all).indexOf("--");
    String[] flags = java.util.Arrays.copyOfRange(all, names + 1, all.length);
    Configuration conf = new Configuration(false);
    conf.set("tony.worker.instances", "2");
    conf.set("tony.containers.envs", "A=1");
    TonyClient client = new TonyClient(conf);
    client.init(flags);
    System.out.println("same " + (client.getTonyConf() == conf));
    TonyClient own = new TonyClient();
    own.getTonyConf().set("tony.worker.vcores", "3");
    own.init(flags);
    for (int i = 0; i < names; ++i) {
      System.out.println(all[i] + " " + conf.get(all[i]) + " " + own.getTonyConf().get(all[i]));
    }
    System.out.println("start " + client.start());
  }
}
