import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.TaskInfo;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A listener that does not return while the job is killed; it hears the end afterwards. */
public class Blocked {
  private static Set<TaskInfo> last;

  public static void main(String[] flags) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch killed = new CountDownLatch(1);
    TonyClient client = new TonyClient();
    client.addListener(tasks -> {
      last = tasks;
      if (tasks.stream().allMatch(task -> task.getStatus() == TaskStatus.RUNNING)) {
        running.countDown();
        try {
          killed.await();
        } catch (InterruptedException interrupt) {
          throw new IllegalStateException(interrupt);
        }
      }
    });
    client.init(flags);
    Thread starter = new Thread(() -> System.out.println("start " + client.start()));
    starter.start();
    running.await();
    client.forceKillApplication();
    System.out.println("killed");
    killed.countDown();
    starter.join();
    last.forEach(task -> System.out.println(task.getName() + " " + task.getStatus()));
  }
}
