import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFs;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system of a bed's resource and node managers, who set permissions by a call of the
 * system. Without its native library, which no artifact has, Hadoop starts chmod for each file and
 * each folder that it makes: more than ten processes for each container.
 */
public final class QuickLocalFileSystem extends LocalFileSystem {
  public QuickLocalFileSystem() {
    super(new Raw());
  }

  /** The same behind Hadoop's other interface to file systems. */
  public static final class OfContext extends ChecksumFs {
    public OfContext(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(new Delegate(uri, conf));
    }
  }

  private static final class Delegate extends DelegateToFileSystem {
    Delegate(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(uri, new Raw(), conf, FsConstants.LOCAL_FS_URI.getScheme(), false);
    }

    @Override
    public int getUriDefaultPort() {
      return -1;
    }

    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      Files.setAttribute(pathToFile(path).toPath(), "unix:mode", (int) permission.toShort());
    }
  }
}
