import com.linkedin.tony.TonyClient;
import com.linkedin.tony.cli.ClusterSubmitter;
import com.linkedin.tony.cli.TonySubmitter;

/** A test of a scheduler: its client starts nothing, but says what it would have. */
public class Spied {
  private static class Client extends TonyClient {
    @Override
    public int start() {
      System.out.println("would start");
      return 42;
    }
  }

  public static void main(String[] flags) throws Exception {
    TonySubmitter submitter = new ClusterSubmitter(new Client());
    System.out.println("submit " + submitter.submit(flags));
  }
}
