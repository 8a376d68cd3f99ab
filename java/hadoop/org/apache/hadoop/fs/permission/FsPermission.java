package org.apache.hadoop.fs.permission;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public class FsPermission {
  public FsPermission(short mode) {}
}
