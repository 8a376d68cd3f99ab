package com.linkedin.tony.cli;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;

/** Runs a job on this machine. */
public final class LocalSubmitter {
  private LocalSubmitter() {}

  public static void main(String[] args) {
    System.exit(CommandLine.run(new TonyClient(), CommandLine.before(args, "--on", "local")));
  }
}
