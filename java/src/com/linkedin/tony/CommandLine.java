package com.linkedin.tony;

import java.util.Arrays;
import java.util.stream.Stream;

/** What the main() of each class does. */
public final class CommandLine {
  private CommandLine() {}

  /** Runs the client's job, and kills it when this process is killed; returns the exit status. */
  public static int run(TonyClient client, String... flags) {
    try {
      if (!client.init(flags)) {
        return -1;
      }
    } catch (Exception refused) {
      System.err.println("muster: " + refused.getMessage());
      return -1;
    }
    client.killAtExit();
    return client.startInForeground();
  }

  /** Returns `more` in front of `flags`. */
  public static String[] before(String[] flags, String... more) {
    return Stream.concat(Arrays.stream(more), Arrays.stream(flags)).toArray(String[]::new);
  }
}
