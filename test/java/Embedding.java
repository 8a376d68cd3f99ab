import com.linkedin.tony.TonyClient;
import com.linkedin.tony.client.TaskUpdateListener;
import com.linkedin.tony.rpc.TaskInfo;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.Set;
import java.util.TreeMap;

/**
 * A scheduler that embeds TonY: follows one job and prints what it hears. The first argument says
 * what it does when all tasks run: `follow` nothing, `kill` and `interrupt` end the job in TonY's
 * two ways, `throw` fails in the listener.
 */
public class Embedding implements TaskUpdateListener {
  private final TonyClient client;
  private final String deed;
  private final Thread starter = Thread.currentThread();

  private Embedding(TonyClient client, String deed) {
    this.client = client;
    this.deed = deed;
  }

  @Override
  public void onTaskInfosUpdated(Set<TaskInfo> tasks) {
    TreeMap<String, TaskStatus> row = new TreeMap<>();
    boolean allRun = true;
    for (TaskInfo task : tasks) {
      row.put(task.getName() + ":" + task.getIndex(), task.getStatus());
      allRun &= task.getStatus() == TaskStatus.RUNNING;
    }
    System.out.println("tasks " + row);
    if (allRun) {
      act();
    }
  }

  private void act() {
    switch (deed) {
      case "kill":
        new Thread(() -> {
          try {
            client.forceKillApplication();
            System.out.println("killed");
          } catch (Exception failure) {
            failure.printStackTrace();
          }
        }).start();
        break;
      case "interrupt":
        starter.interrupt();
        break;
      case "throw":
        throw new IllegalStateException("the listener is broken");
      default:
    }
  }

  public static void main(String[] args) throws Exception {
    String[] flags = java.util.Arrays.copyOfRange(args, 1, args.length);
    try (TonyClient client = new TonyClient()) {
      client.addListener(new Embedding(client, args[0]));
      if (!client.init(flags)) {
        System.out.println("init refused");
        return;
      }
      System.out.println("start " + client.start());
    }
  }
}
