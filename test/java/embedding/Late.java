import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.concurrent.CountDownLatch;

/** A listener that another thread adds while the job runs hears the rest of it. */
public class Late {
  private static volatile String heard = "nothing";

  public static void main(String[] flags) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    TonyClient client = new TonyClient();
    client.addListener(tasks -> {
      if (tasks.stream().allMatch(task -> task.getStatus() == TaskStatus.RUNNING)) {
        running.countDown();
      }
    });
    client.init(flags);
    Thread starter = new Thread(() -> System.out.println("start " + client.start()));
    starter.start();
    running.await();
    client.addListener(tasks -> heard = tasks.iterator().next().getStatus().toString());
    System.out.println("listens");
    starter.join();
    System.out.println("heard " + heard);
  }
}
