package org.apache.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public class Path {
  public Path(Path parent, String child) {}

  public URI toUri() {
    throw new UnsupportedOperationException();
  }

  public FileSystem getFileSystem(Configuration conf) throws IOException {
    throw new UnsupportedOperationException();
  }
}
