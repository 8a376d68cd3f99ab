package com.linkedin.tony.cli;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;

/** Runs a job on the cluster. */
public class ClusterSubmitter extends ClusterSubmission {
  public ClusterSubmitter(TonyClient client) {
    super(client);
  }

  public static void main(String[] args) {
    System.exit(CommandLine.run(new TonyClient(), args));
  }
}
