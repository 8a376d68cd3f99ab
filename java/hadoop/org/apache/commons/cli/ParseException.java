package org.apache.commons.cli;

/** What the jar is compiled against of Commons CLI's class of this name, which Hadoop brings. */
public class ParseException extends Exception {
  private static final long serialVersionUID = 1L;

  public ParseException(String message) {
    super(message);
  }
}
