package com.linkedin.tony;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process whose standard output is read line by line, in a way that can be interrupted. The
 * reader waits while too many lines have not been taken.
 */
final class JobProcess {
  private static final int LINES_MAX = 1024;
  // Compared by identity.
  private static final String END = new String("end");

  private final Process process;
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(LINES_MAX);
  private volatile boolean discards;

  JobProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "muster-events");
    reader.setDaemon(true);
    reader.start();
  }

  /** Returns the next line, or null at the end of the output. */
  String next() throws InterruptedException {
    String line = lines.take();
    return line == END ? null : line;
  }

  /** Returns whether next() would not wait. */
  boolean hasNext() {
    return !lines.isEmpty();
  }

  /** Nobody will take a line any more: the process need not wait for that. */
  void discard() {
    discards = true;
    lines.clear();
  }

  private void read() {
    try {
      try (BufferedReader in = new BufferedReader(
          new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          while (!discards && !lines.offer(line, 100, TimeUnit.MILLISECONDS)) {
            // It is full: the next try waits again.
          }
        }
      } catch (IOException closed) {
        // The process has ended; so has its output.
      }
      if (!discards) {
        lines.put(END);
      }
    } catch (InterruptedException never) {
      throw new IllegalStateException(never);
    }
  }
}
