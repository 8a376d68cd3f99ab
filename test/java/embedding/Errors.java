import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.TaskInfo;

/** A listener with a wrong assertion beside a good one. */
public class Errors {
  private static String last = "";

  public static void main(String[] flags) throws Exception {
    TonyClient client = new TonyClient();
    client.addListener(tasks -> {
      throw new AssertionError("this listener is wrong");
    });
    client.addListener(tasks -> {
      for (TaskInfo task : tasks) {
        last = task.toString();
      }
    });
    client.init(flags);
    System.out.println("start " + client.start());
    System.out.println(last);
  }
}
