import com.linkedin.tony.TonyClient;
import com.linkedin.tony.rpc.TaskInfo;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Two clients at the same time, and then the first one again with other flags. */
public class Clients {
  private static int run(TonyClient client, Set<String> names, String[] flags) throws Exception {
    client.addListener(tasks -> names.addAll(
        tasks.stream().map(TaskInfo::getName).collect(Collectors.toList())));
    client.init(flags);
    return client.start();
  }

  public static void main(String[] flags) throws Exception {
    TonyClient one = new TonyClient();
    TonyClient two = new TonyClient();
    Set<String> ofOne = ConcurrentHashMap.newKeySet();
    Set<String> ofTwo = ConcurrentHashMap.newKeySet();
    String[] more = Arrays.copyOf(flags, flags.length + 2);
    more[flags.length] = "-conf";
    more[flags.length + 1] = "tony.chief.instances=1";
    Thread other = new Thread(() -> {
      try {
        System.out.println("two " + run(two, ofTwo, more));
      } catch (Exception failure) {
        failure.printStackTrace();
      }
    });
    other.start();
    System.out.println("one " + run(one, ofOne, flags));
    other.join();
    System.out.println(ofOne + " " + new TreeSet<>(ofTwo));
    one.init(more);
    System.out.println("again " + one.start() + " " + new TreeSet<>(ofOne));
  }
}
