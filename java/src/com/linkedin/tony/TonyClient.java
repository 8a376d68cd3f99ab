package com.linkedin.tony;

import com.linkedin.tony.client.CallbackHandler;
import org.apache.hadoop.conf.Configuration;

/**
 * Runs one job with TonY's flags, for programs and as a command line. The methods are
 * JobSubmission's.
 */
public class TonyClient extends JobSubmission {
  public TonyClient() {
    this(null, null);
  }

  /**
   * TonY's settings (`tony.*`) that are set in `conf` count above every file and below `-conf`;
   * those of files that were added to it count below tony.xml.
   */
  public TonyClient(Configuration conf) {
    this(null, conf);
  }

  public TonyClient(CallbackHandler handler, Configuration conf) {
    super(handler, conf);
  }

  /** Runs the job of these flags; the exit status is 0 if it succeeded, and else 255. */
  public static void main(String[] args) {
    System.exit(CommandLine.run(new TonyClient(), args));
  }
}
