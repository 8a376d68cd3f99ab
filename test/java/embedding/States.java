import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.TaskInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Prints the last set of tasks as TonY's client does: sorted by what wants attention. */
public class States {
  private static Set<TaskInfo> last = new HashSet<>();

  public static void main(String[] flags) throws Exception {
    TonyClient client = new TonyClient();
    client.addListener(tasks -> last = tasks);
    client.init(flags);
    int status = client.start();
    List<TaskInfo> sorted = new ArrayList<>(last);
    Collections.sort(sorted);
    for (TaskInfo task : sorted) {
      System.out.println(String.join(" ", task.getStatus().toString(), task.getName(),
          task.getIndex()));
      TaskInfo same = new TaskInfo(task.getName(), task.getIndex(), task.getUrl());
      same.setStatus(task.getStatus());
      if (!last.contains(same)) {
        System.out.println("not found by an equal one: " + task);
      }
    }
    System.out.println("start " + status);
  }
}
