import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.concurrent.CountDownLatch;

/**
 * Kills a job from other threads: before it starts, twice at once while it runs, and after its end.
 */
public class Kills {
  public static void main(String[] flags) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    TonyClient client = new TonyClient();
    client.forceKillApplication();
    client.addListener(tasks -> {
      if (tasks.stream().allMatch(task -> task.getStatus() == TaskStatus.RUNNING)) {
        running.countDown();
      }
    });
    client.init(flags);
    client.forceKillApplication();
    Thread[] killers = new Thread[2];
    for (int i = 0; i < killers.length; ++i) {
      killers[i] = new Thread(() -> {
        try {
          running.await();
          client.forceKillApplication();
          System.out.println("killed");
        } catch (Exception failure) {
          failure.printStackTrace();
        }
      });
      killers[i].start();
    }
    System.out.println("start " + client.start());
    for (Thread killer : killers) {
      killer.join();
    }
    client.forceKillApplication();
    System.out.println("end");
  }
}
