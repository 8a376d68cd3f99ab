package com.linkedin.tony.cli;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;

/** Runs a notebook on the cluster, for a day unless a flag says otherwise. */
public class NotebookSubmitter extends NotebookSubmission {
  public static void main(String[] args) {
    System.exit(CommandLine.run(new TonyClient(), CommandLine.before(args, OF_A_NOTEBOOK)));
  }
}
