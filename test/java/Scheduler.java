import com.linkedin.tony.Constants;
import com.linkedin.tony.TonyClient;
import com.linkedin.tony.TonyConfigurationKeys;
import com.linkedin.tony.client.CallbackHandler;
import com.linkedin.tony.client.TaskUpdateListener;
import com.linkedin.tony.rpc.TaskInfo;
import com.linkedin.tony.util.Utils;
import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * A scheduler whose job is a Configuration with all of Hadoop's defaults, written to a file: it
 * waits for the application's id while another thread runs the job, and for its tasks, and then
 * kills it. The arguments are settings.
 */
public class Scheduler implements CallbackHandler, TaskUpdateListener {
  private final CountDownLatch submitted = new CountDownLatch(1);
  private final CountDownLatch running = new CountDownLatch(1);
  private ApplicationId application;

  @Override
  public void onApplicationIdReceived(ApplicationId appId) {
    application = appId;
    submitted.countDown();
  }

  @Override
  public void onTaskInfosUpdated(Set<TaskInfo> tasks) {
    long numRunning = tasks.stream().filter(task -> {
      switch (task.getStatus()) {
        case RUNNING:
          return true;
        default:
          return false;
      }
    }).count();
    if (numRunning == 3) {
      running.countDown();
    }
  }

  private static Configuration settings(String[] pairs) {
    Configuration conf = new Configuration();
    conf.addResource(Constants.TONY_XML);
    conf.setStrings(TonyConfigurationKeys.FRAMEWORK_NAME, "tensorflow");
    conf.setInt(TonyConfigurationKeys.getInstancesKey(Constants.WORKER_JOB_NAME), 2);
    conf.setInt(TonyConfigurationKeys.getInstancesKey(Constants.PS_JOB_NAME), 1);
    for (String type : Utils.getAllJobTypes(conf)) {
      conf.setLong(TonyConfigurationKeys.getResourceKey(type, Constants.MEMORY), 128);
      conf.setInt(TonyConfigurationKeys.getResourceKey(type, Constants.VCORES),
          TonyConfigurationKeys.DEFAULT_VCORES);
    }
    conf.setStrings(TonyConfigurationKeys.EXECUTION_ENV);
    conf.setBoolean(TonyConfigurationKeys.SECURITY_ENABLED, false);
    for (Map.Entry<String, String> pair : Utils.parseKeyValue(pairs).entrySet()) {
      boolean many = TonyConfigurationKeys.MULTI_VALUE_CONF.contains(pair.getKey());
      String there = conf.get(pair.getKey(), "");
      conf.set(pair.getKey(), many && !there.isEmpty() ? there + "," + pair.getValue()
          : pair.getValue());
    }
    System.out.println("types " + new TreeSet<>(Utils.getAllJobTypes(conf)) + " memory "
        + Utils.parseMemoryString(conf.get("tony.worker.memory")) + " "
        + Utils.parseMemoryString(TonyConfigurationKeys.DEFAULT_MEMORY));
    return conf;
  }

  public static void main(String[] pairs) throws Exception {
    File file = File.createTempFile("scheduler", Constants.TONY_FINAL_XML);
    try (OutputStream out = new FileOutputStream(file)) {
      settings(pairs).writeXml(out);
    }
    Scheduler handler = new Scheduler();
    TonyClient client = new TonyClient(handler, new Configuration());
    client.addListener(handler);
    client.init(new String[] {"--conf_file", file.getAbsolutePath()});
    Thread starter = new Thread(() -> System.out.println("start " + client.start()));
    starter.start();
    handler.submitted.await();
    System.out.println("application " + handler.application + " runs " + starter.isAlive());
    handler.running.await();
    client.forceKillApplication();
    starter.join();
    file.delete();
  }
}
