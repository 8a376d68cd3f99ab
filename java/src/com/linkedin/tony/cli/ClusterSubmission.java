package com.linkedin.tony.cli;

import com.linkedin.tony.TonyClient;
import java.io.IOException;
import java.net.URISyntaxException;
import org.apache.commons.cli.ParseException;

/** What ClusterSubmitter can do; apart from it for the reason that JobSubmission gives. */
public abstract class ClusterSubmission extends TonySubmitter {
  private final TonyClient client;

  ClusterSubmission(TonyClient client) {
    this.client = client;
  }

  /** Runs the job of these flags, which is killed when this process ends; returns 0 or -1. */
  @Override
  public int submit(String[] args) throws ParseException, URISyntaxException {
    try {
      if (!client.init(args)) {
        return -1;
      }
    } catch (IOException failure) {
      System.err.println("muster: " + failure.getMessage());
      return -1;
    }
    client.killAtExit();
    return client.startInForeground();
  }
}
