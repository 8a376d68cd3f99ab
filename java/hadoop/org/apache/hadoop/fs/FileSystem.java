package org.apache.hadoop.fs;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public abstract class FileSystem implements Closeable {
  public static LocalFileSystem getLocal(Configuration conf) throws IOException {
    throw new UnsupportedOperationException();
  }

  public abstract boolean delete(Path path, boolean recursive) throws IOException;

  public void setPermission(Path path, FsPermission permission) throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() throws IOException {
    throw new UnsupportedOperationException();
  }
}
