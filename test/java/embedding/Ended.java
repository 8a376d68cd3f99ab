import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A submitter: tells at its end whether it has got the job's status while it was ended. */
public class Ended {
  public static void main(String[] flags) {
    CountDownLatch returned = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        System.out.println("returned " + returned.await(2, TimeUnit.SECONDS));
      } catch (InterruptedException interrupted) {
        System.out.println(interrupted);
      }
    }));
    int status = CommandLine.run(new TonyClient(), flags);
    returned.countDown();
    System.exit(status);
  }
}
