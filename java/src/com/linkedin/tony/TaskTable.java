package com.linkedin.tony;

import com.linkedin.tony.rpc.TaskInfo;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tasks of a job as TonY's listeners know them, and which of them have changed since the
 * listeners were told.
 */
final class TaskTable {
  private final Map<String, TaskInfo> tasks = new LinkedHashMap<>();
  private final Set<String> changed = new HashSet<>();

  /** Returns whether the task has changed already and would change again: tell of the first. */
  boolean wouldHide(String task, TaskStatus status) {
    return changed.contains(task) && tasks.get(task).getStatus() != status;
  }

  /** Notes a task's status; `task` is as in "worker:0". */
  void set(String task, TaskStatus status, String url) {
    TaskInfo known = tasks.get(task);
    if (known != null && known.getStatus() == status) {
      return;
    }
    if (known == null) {
      int colon = task.lastIndexOf(':');
      known = new TaskInfo(task.substring(0, colon), task.substring(colon + 1), url);
      tasks.put(task, known);
    }
    known.setStatus(status);
    changed.add(task);
  }

  boolean hasChanged() {
    return !changed.isEmpty();
  }

  void forgetChanges() {
    changed.clear();
  }

  /** Returns a copy of all tasks. */
  Set<TaskInfo> copy() {
    Set<TaskInfo> copies = new LinkedHashSet<>();
    for (TaskInfo task : tasks.values()) {
      TaskInfo copy = new TaskInfo(task.getName(), task.getIndex(), task.getUrl());
      copy.setStatus(task.getStatus());
      copies.add(copy);
    }
    return copies;
  }

  /** Returns the status for a task's state and its last attempt's, as muster names them. */
  static TaskStatus statusOf(String state, String attemptState) {
    switch (state) {
      case "succeeded":
        return TaskStatus.SUCCEEDED;
      case "failed":
        return TaskStatus.FAILED;
      case "stopped":
        return TaskStatus.FINISHED;
      case "active":
        boolean starts = "placed".equals(attemptState) || "joined".equals(attemptState);
        return starts ? TaskStatus.READY : TaskStatus.RUNNING;
      default:
        return TaskStatus.NEW;
    }
  }
}
