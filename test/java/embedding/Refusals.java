import com.linkedin.tony.TonyClient;

/** Tries one line of flags after another, each word after a blank, and then runs the last one. */
public class Refusals {
  public static void main(String[] lines) throws Exception {
    TonyClient client = new TonyClient();
    try {
      System.out.println("start " + client.start());
    } catch (IllegalStateException early) {
      System.out.println("too early: " + early.getMessage());
    }
    for (String line : lines) {
      try {
        String[] flags = line.isEmpty() ? new String[0] : line.split(" ");
        System.out.println("init " + client.init(flags));
      } catch (Exception refused) {
        System.out.println("refused: " + refused.getMessage().split("\n")[0]);
      }
    }
    System.out.println("start " + client.start());
  }
}
