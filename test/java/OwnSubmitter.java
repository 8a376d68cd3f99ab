import static com.linkedin.tony.Constants.TONY_FOLDER;
import static com.linkedin.tony.Constants.TONY_JAR_NAME;

import com.linkedin.tony.TonyClient;
import com.linkedin.tony.TonyConfigurationKeys;
import com.linkedin.tony.cli.TonySubmitter;
import com.linkedin.tony.util.Utils;
import java.util.Arrays;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.LocalResourceType;

/** Ships the file of the first argument with the job of the others, as TonY's submitter its jar. */
public class OwnSubmitter extends TonySubmitter {
  private final TonyClient client;
  private final Path file;

  private OwnSubmitter(TonyClient client, String file) {
    this.client = client;
    this.file = new Path(file);
  }

  @Override
  public int submit(String[] args) throws Exception {
    Configuration hadoop = new Configuration();
    hadoop.addResource(new Path(System.getenv("HADOOP_CONF_DIR") + "/core-site.xml"));
    Path place = null;
    try (FileSystem fs = FileSystem.get(hadoop)) {
      place = new Path(fs.getHomeDirectory(), TONY_FOLDER + Path.SEPARATOR + UUID.randomUUID());
      place = place.makeQualified(fs.getUri(), fs.getWorkingDirectory());
      System.out.println("put " + place);
      Utils.uploadFileAndSetConfResources(place, file, TONY_JAR_NAME, client.getTonyConf(),
          LocalResourceType.FILE, TonyConfigurationKeys.getContainerResourcesKey());
      return client.init(args) ? client.start() : -1;
    } finally {
      Utils.cleanupHDFSPath(hadoop, place);
    }
  }

  public static void main(String[] args) throws Exception {
    String[] flags = Arrays.copyOfRange(args, 1, args.length);
    System.exit(new OwnSubmitter(new TonyClient(new Configuration()), args[0]).submit(flags));
  }
}
