import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.io.IOException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * As Apache Submarine embeds TonY: the job runs on a thread of its own, and a shutdown hook kills
 * it. With `exit` as the first word a listener ends the process when all tasks run.
 */
public class Exits {
  public static void main(String[] all) throws Exception {
    boolean exits = all[0].equals("exit");
    String[] flags = java.util.Arrays.copyOfRange(all, 1, all.length);
    TonyClient client = new TonyClient();
    client.addListener(tasks -> {
      if (tasks.stream().allMatch(task -> task.getStatus() == TaskStatus.RUNNING)) {
        System.out.println("all run");
        if (exits) {
          System.exit(7);
        }
      }
    });
    client.init(flags);
    Thread starter = new Thread(client::start);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        client.forceKillApplication();
        System.out.println("killed");
      } catch (YarnException | IOException failure) {
        failure.printStackTrace();
      }
    }));
    starter.start();
    starter.join();
  }
}
