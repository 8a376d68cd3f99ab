package com.linkedin.tony;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A process whose standard output is read line by line, in a way that can be interrupted. The
 * reader waits while too many of the wanted lines have not been taken.
 */
final class JobProcess {
  private static final int LINES_MAX = 1024;
  // Compared by identity.
  private static final String END = new String("end");

  private final Process process;
  private final Predicate<String> isWanted;
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(LINES_MAX);
  private volatile boolean discards;

  JobProcess(Process process, Predicate<String> isWanted) {
    this.process = process;
    this.isWanted = isWanted;
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

  boolean isFull() {
    return lines.remainingCapacity() == 0;
  }

  /** No line is kept any more, so that the process need not wait for somebody who takes them. */
  void discard() {
    discards = true;
    lines.clear();
  }

  private void read() {
    try {
      try (BufferedReader in = new BufferedReader(
          new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          while (!discards && isWanted.test(line)
              && !lines.offer(line, 100, TimeUnit.MILLISECONDS)) {
            // It is full: the next try waits again.
          }
        }
      } catch (IOException closed) {
        // The process has ended; so has its output.
      }
      while (!lines.offer(END, 100, TimeUnit.MILLISECONDS)) {
        if (discards) {
          lines.clear();
        }
      }
    } catch (InterruptedException never) {
      throw new IllegalStateException(never);
    }
  }
}
