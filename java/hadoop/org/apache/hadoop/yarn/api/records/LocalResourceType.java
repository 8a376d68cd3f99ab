package org.apache.hadoop.yarn.api.records;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public enum LocalResourceType { ARCHIVE, FILE, PATTERN }
