package com.linkedin.tony;

import com.linkedin.tony.client.CallbackHandler;
import com.linkedin.tony.client.TaskUpdateListener;
import com.linkedin.tony.rpc.impl.TaskStatus;
import java.util.List;
import java.util.Map;

/** Tells TonY's listeners what the JSON lines of `muster tony --json` say. Of one thread. */
final class JobEvents {
  private final CallbackHandler handler;
  private final List<TaskUpdateListener> listeners;
  private final TaskTable tasks = new TaskTable();
  private String page = "";
  private boolean complete;

  /** `handler` may be null; `listeners` may change meanwhile. */
  JobEvents(CallbackHandler handler, List<TaskUpdateListener> listeners) {
    this.handler = handler;
    this.listeners = listeners;
  }

  /** Whether a line is what tasks wrote, which is most of all lines and not told. */
  static boolean isOutput(String line) {
    return line.startsWith("{\"event\":\"output\"");
  }

  /** Takes the next line. Lines of kinds that are not known are passed over. */
  void take(String line) {
    Map<?, ?> event = Json.object(line);
    String kind = text(event, "event");
    if (kind.equals("submitted")) {
      page = text(event, "page");
      if (handler != null) {
        guard(() -> HadoopTypes.tell(handler, text(event, "application_id")));
      }
    } else if (kind.equals("task")) {
      set(text(event, "task"), event);
    } else if (kind.equals("phase")) {
      // The first one comes after a line about each task: from now on no set lacks one.
      complete = true;
    } else if (kind.equals("ended")) {
      complete = true;
      takeStatus(event.get("status"));
    }
  }

  /** Tells of what has changed. Call it when there is no next line yet, and at the end. */
  void tell() {
    if (!complete || !tasks.hasChanged()) {
      return;
    }
    tasks.forgetChanges();
    for (TaskUpdateListener listener : listeners) {
      guard(() -> listener.onTaskInfosUpdated(tasks.copy()));
    }
  }

  private void takeStatus(Object status) {
    Object roles = status instanceof Map ? ((Map<?, ?>) status).get("roles") : null;
    if (!(roles instanceof Map)) {
      return;
    }
    ((Map<?, ?>) roles).forEach((role, value) -> {
      for (Object task : (List<?>) ((Map<?, ?>) value).get("tasks")) {
        Map<?, ?> row = (Map<?, ?>) task;
        set(role + ":" + ((Number) row.get("index")).intValue(), row);
      }
    });
  }

  private void set(String task, Map<?, ?> row) {
    TaskStatus status = TaskTable.statusOf(text(row, "state"), text(row, "attempt_state"));
    if (tasks.wouldHide(task, status)) {
      tell();
    }
    tasks.set(task, status, page);
  }

  /** The job goes on when a listener fails, as it does in every other case. */
  private static void guard(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error failure) {
      System.err.println("muster: a listener of the job failed:");
      failure.printStackTrace();
    }
  }

  private static String text(Map<?, ?> object, String key) {
    Object value = object.get(key);
    return value instanceof String ? (String) value : "";
  }
}
