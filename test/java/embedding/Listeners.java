import com.linkedin.tony.TonyClient;
import com.linkedin.tony.client.TaskUpdateListener;
import com.linkedin.tony.rpc.TaskInfo;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Several listeners of one job: the first spoils what it is given and leaves when all tasks run,
 * whose end it opens the gate for, the second counts, the third is added by the first.
 */
public class Listeners {
  private final TonyClient client = new TonyClient();
  private final Thread starter = Thread.currentThread();
  private final List<String> calls = new ArrayList<>();
  private final List<Set<TaskInfo>> heard = new ArrayList<>();
  private boolean elsewhere;

  private void hear(String name) {
    calls.add(name);
    elsewhere |= Thread.currentThread() != starter;
  }

  private static boolean allRun(Set<TaskInfo> tasks) {
    return tasks.stream().allMatch(task -> task.getStatus() == TaskStatus.RUNNING);
  }

  private static void openGate() {
    try {
      Files.createFile(Paths.get(System.getenv("GATE")));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private final TaskUpdateListener late = tasks -> hear("late");

  private final TaskUpdateListener first = new TaskUpdateListener() {
    @Override
    public void onTaskInfosUpdated(Set<TaskInfo> tasks) {
      hear("first");
      if (allRun(tasks)) {
        client.removeListener(this);
        client.addListener(late);
        openGate();
      }
      tasks.forEach(task -> task.setStatus(TaskStatus.FAILED));
      tasks.clear();
    }
  };

  private int run(String[] flags) throws Exception {
    client.addListener(first);
    client.addListener(tasks -> {
      hear("second");
      heard.add(tasks);
    });
    System.out.println("listeners " + client.getListener().size());
    client.init(flags);
    return client.start();
  }

  public static void main(String[] flags) throws Exception {
    Listeners program = new Listeners();
    System.out.println("start " + program.run(flags));
    System.out.println("calls " + String.join(" ", program.calls));
    System.out.println("elsewhere " + program.elsewhere);
    Set<TaskStatus> statuses = new HashSet<>();
    program.heard.forEach(tasks -> tasks.forEach(task -> statuses.add(task.getStatus())));
    System.out.println("failed " + statuses.contains(TaskStatus.FAILED));
    // Nobody changes what a listener was given.
    System.out.println("first set " + program.heard.get(0));
  }
}
