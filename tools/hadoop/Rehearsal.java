import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * Loads the classes that the daemons of a bed and its shell use: runs one of each in this process,
 * stores and reads a file, runs an application and asks the daemons what tests ask them. The
 * arguments are the pages that it asks for; those of the node manager come behind `--`, because in
 * one process it alone serves pages once it runs. class_archive.py makes an archive of all classes
 * that were loaded.
 */
public final class Rehearsal {
  private Rehearsal() {}

  public static void main(String[] pages) {
    int status = 1;
    try {
      rehearse(pages);
      status = 0;
    } catch (Throwable error) {
      error.printStackTrace();
    }
    // Daemons do not end by themselves.
    Runtime.getRuntime().halt(status);
  }

  private static void rehearse(String[] pages) throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    Configuration conf = new HdfsConfiguration();
    NameNode.format(conf);
    NameNode.createNameNode(new String[0], conf);
    DataNode.createDataNode(new String[0], new HdfsConfiguration());
    ResourceManager manager = new ResourceManager();
    manager.init(new YarnConfiguration());
    manager.start();
    int ofNode = List.of(pages).indexOf("--");
    read(List.of(pages).subList(0, ofNode));
    NodeManager node = new NodeManager();
    node.init(new YarnConfiguration());
    node.start();
    shell("-mkdir", "-p", "/rehearsal");
    shell("-put", "-f", System.getProperty("java.home") + "/release", "/rehearsal/file");
    shell("-cat", "/rehearsal/file");
    shell("-ls", "/rehearsal");
    runApplication();
    read(List.of(pages).subList(ofNode + 1, pages.length));
  }

  private static void read(List<String> pages) throws Exception {
    for (String page : pages) {
      try (InputStream reply = new URL(page).openStream()) {
        reply.readAllBytes();
      }
    }
  }

  private static void shell(String... words) throws Exception {
    if (ToolRunner.run(new Configuration(), new FsShell(), words) != 0) {
      throw new IllegalStateException("hadoop fs " + String.join(" ", words));
    }
  }

  /** Its master only says something, so that it fails: that is seen, too. */
  private static void runApplication() throws Exception {
    YarnClient client = YarnClient.createYarnClient();
    client.init(new YarnConfiguration());
    client.start();
    ApplicationSubmissionContext context =
        client.createApplication().getApplicationSubmissionContext();
    context.setApplicationName("rehearsal");
    context.setMaxAppAttempts(1);
    context.setResource(Resource.newInstance(64, 1));
    context.setAMContainerSpec(
        ContainerLaunchContext.newInstance(
            Map.of(), Map.of(), List.of("echo rehearsal 1><LOG_DIR>/stdout"), null, null, null));
    ApplicationId id = client.submitApplication(context);
    while (client.getApplicationReport(id).getFinalApplicationStatus()
        == FinalApplicationStatus.UNDEFINED) {
      Thread.sleep(50);
    }
  }
}
