import com.linkedin.tony.TonyClient;
import java.util.Arrays;

/** Runs one job after another in this process, each by flags between two `--`. */
public class Statuses {
  public static void main(String[] all) throws Exception {
    int from = 0;
    while (from < all.length) {
      int to = from;
      while (to < all.length && !all[to].equals("--")) {
        ++to;
      }
      try (TonyClient client = new TonyClient()) {
        client.init(Arrays.copyOfRange(all, from, to));
        System.out.println("start " + client.start());
      }
      from = to + 1;
    }
  }
}
