import com.linkedin.tony.TonyClient;
import com.linkedin.tony.TonyConfigurationKeys;
import com.linkedin.tony.cli.ClusterSubmitter;
import com.linkedin.tony.client.CallbackHandler;
import com.linkedin.tony.client.TaskUpdateListener;
import com.linkedin.tony.rpc.TaskInfo;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.Set;
import org.apache.commons.cli.ParseException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** A scheduler that passes Hadoop's classes to TonY's, and catches the exceptions that it names. */
public class Submitting implements CallbackHandler, TaskUpdateListener {
  private ApplicationId application;

  @Override
  public void onApplicationIdReceived(ApplicationId appId) {
    application = appId;
    System.out.println("application " + appId + " number " + appId.getId());
  }

  @Override
  public void onTaskInfosUpdated(Set<TaskInfo> tasks) {
    for (TaskInfo task : tasks) {
      System.out.println("task " + task.getName() + ":" + task.getIndex() + " " + task.getStatus()
          + " " + task.getUrl());
    }
  }

  public static void main(String[] args) throws URISyntaxException {
    Configuration conf = new Configuration(false);
    conf.set(TonyConfigurationKeys.getInstancesKey("worker"), "2");
    conf.set("tony.worker.memory", "128m");
    Submitting handler = new Submitting();
    int status = -1;
    try (TonyClient client = new TonyClient(handler, conf)) {
      client.addListener(handler);
      status = new ClusterSubmitter(client).submit(args);
      client.forceKillApplication();
      client.removeListener(handler);
      System.out.println("conf " + client.getTonyConf().get("tony.worker.instances"));
    } catch (ParseException refused) {
      System.out.println("refused: " + refused.getMessage());
    } catch (YarnException | IOException failure) {
      failure.printStackTrace();
    }
    System.out.println("submit " + status + (handler.application == null ? " without" : " with"));
    System.exit(status);
  }
}
