package org.apache.hadoop.util;

import java.io.IOException;
import java.text.SimpleDateFormat;

/**
 * Stands in for Hadoop's class of this name in a daemon whose clock is to be wrong: its folder
 * comes first in the class path. The file `clock-offset-ms` there says by how much; only the time
 * of day is shifted.
 */
public final class Time {
  private static final long OFFSET_MS = read();

  private static long read() {
    try (var from = Time.class.getResourceAsStream("/clock-offset-ms")) {
      return Long.parseLong(new String(from.readAllBytes()).trim());
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  public static long now() {
    return System.currentTimeMillis() + OFFSET_MS;
  }

  public static long getUtcTime() {
    return now();
  }

  public static long monotonicNow() {
    return System.nanoTime() / 1_000_000;
  }

  public static long monotonicNowNanos() {
    return System.nanoTime();
  }

  public static String formatTime(long millis) {
    return new SimpleDateFormat("yyyy-MM-dd HH:mm:ss,SSSZ").format(millis);
  }
}
