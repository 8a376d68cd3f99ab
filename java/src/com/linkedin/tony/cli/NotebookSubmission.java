package com.linkedin.tony.cli;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;
import java.io.IOException;
import java.net.URISyntaxException;
import org.apache.commons.cli.ParseException;

/** What NotebookSubmitter can do; apart from it for the reason that JobSubmission gives. */
public abstract class NotebookSubmission extends TonySubmitter {
  static final String[] OF_A_NOTEBOOK = {
    "--notebook", "-conf", "tony.application.timeout=86400000"
  };

  private final TonyClient client = new TonyClient();

  /**
   * Runs the notebook for a day at most, and prints the address by which this machine reaches it;
   * it is killed when this process ends.
   */
  @Override
  public int submit(String[] args)
      throws ParseException, URISyntaxException, IOException, InterruptedException {
    if (!client.init(CommandLine.before(args, OF_A_NOTEBOOK))) {
      return -1;
    }
    client.killAtExit();
    return client.startInForeground();
  }

  public TonyClient getClient() {
    return client;
  }
}
