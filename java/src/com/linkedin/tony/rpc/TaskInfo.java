package com.linkedin.tony.rpc;

import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.Comparator;
import java.util.Objects;

/** One task of a job: its type, its index in it, where to look at it, and its status. */
public class TaskInfo implements Comparable<TaskInfo> {
  private static final Comparator<TaskInfo> BY_ATTENTION =
      Comparator.<TaskInfo>comparingInt(
              task -> TaskStatus.STATUS_SORTED_BY_ATTENTION.indexOf(task.status))
          .thenComparing(TaskInfo::getName)
          .thenComparingInt(task -> Integer.parseInt(task.index));

  private final String name;
  private final String index;
  private final String url;
  private TaskStatus status = TaskStatus.NEW;

  public TaskInfo(String name, String index, String url) {
    this.name = name;
    this.index = index;
    this.url = url;
  }

  public String getName() {
    return name;
  }

  public String getIndex() {
    return index;
  }

  /** Returns the link to the job's page, which has the task's output; "" where there is none. */
  public String getUrl() {
    return url;
  }

  public TaskStatus getStatus() {
    return status;
  }

  public void setStatus(TaskStatus status) {
    this.status = status;
  }

  /** Orders by status, as STATUS_SORTED_BY_ATTENTION does, then by name and index. */
  @Override
  public int compareTo(TaskInfo other) {
    return BY_ATTENTION.compare(this, other);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof TaskInfo)) {
      return false;
    }
    TaskInfo task = (TaskInfo) other;
    return Objects.equals(name, task.name) && Objects.equals(index, task.index)
        && Objects.equals(url, task.url) && status == task.status;
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, index, url, status);
  }

  @Override
  public String toString() {
    return "[TaskInfo] name: " + name + ", index: " + index + ", url: " + url
        + " status: " + status;
  }
}
