package org.apache.hadoop.fs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public class FileUtil {
  public static boolean copy(FileSystem from, Path source, FileSystem to, Path target,
      boolean deleteSource, boolean overwrite, Configuration conf) throws IOException {
    throw new UnsupportedOperationException();
  }
}
