package com.linkedin.tony.client;

import com.linkedin.tony.rpc.TaskInfo;
import java.util.Set;

/** Hears what a job's tasks do. */
public interface TaskUpdateListener {
  /**
   * Called on the thread of start() whenever the status of a task has changed, with all tasks of
   * the job. The set is the listener's own. No status of a task is left out.
   */
  void onTaskInfosUpdated(Set<TaskInfo> taskInfoSet);
}
