package com.linkedin.tony.rpc.impl;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What a task does, as TonY names it. */
public enum TaskStatus {
  /** Waits for a container. */
  NEW,
  /** Has its container, and waits for the others. */
  READY,
  RUNNING,
  FAILED,
  SUCCEEDED,
  /** Was stopped, because the job ended without it. */
  FINISHED;

  /** What people want to see first comes first. */
  public static final List<TaskStatus> STATUS_SORTED_BY_ATTENTION =
      Collections.unmodifiableList(Arrays.asList(FAILED, SUCCEEDED, FINISHED, RUNNING, NEW, READY));
}
