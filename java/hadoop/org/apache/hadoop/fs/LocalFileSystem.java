package org.apache.hadoop.fs;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public abstract class LocalFileSystem extends FileSystem {}
