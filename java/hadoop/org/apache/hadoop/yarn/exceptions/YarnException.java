package org.apache.hadoop.yarn.exceptions;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public class YarnException extends Exception {
  private static final long serialVersionUID = 1L;

  public YarnException(String message) {
    super(message);
  }
}
