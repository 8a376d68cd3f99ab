package com.linkedin.tony;

import com.linkedin.tony.client.CallbackHandler;
import com.linkedin.tony.client.TaskUpdateListener;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.cli.ParseException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * What TonyClient can do. It is a class of its own because the virtual machine resolves every type
 * in the methods of a class whose main() it runs: TonyClient itself names none of Hadoop's, so that
 * its command line runs without them.
 *
 * <p>One object is one job: init(), then start(), which returns when the job has ended.
 * forceKillApplication() may be called by every thread.
 */
public abstract class JobSubmission implements AutoCloseable {
  private final CallbackHandler handler;
  private final CopyOnWriteArrayList<TaskUpdateListener> listeners = new CopyOnWriteArrayList<>();
  private Configuration configuration;
  private Program program;
  private List<String> flags;
  private volatile Process process;
  private volatile Thread starter;
  private boolean exits;

  /** Both may be null. */
  JobSubmission(CallbackHandler handler, Configuration configuration) {
    this.handler = handler;
    this.configuration = configuration;
  }

  /**
   * Checks TonY's flags and the files that they name. Returns false if they only ask for help,
   * which is printed then. Throws a ParseException that says what is wrong with them, and an
   * IOException if there is no muster. Where there are no classes of Hadoop, an
   * IllegalArgumentException stands in for the ParseException.
   */
  public boolean init(String[] args) throws ParseException, IOException {
    program = Program.find();
    List<String> given = Arrays.asList(args);
    if (!Collections.disjoint(given, Arrays.asList("-help", "--help", "-h"))) {
      Program.waitFor(program.tony(Collections.singletonList("--help")).inheritIO().start());
      return false;
    }
    flags = new ArrayList<>();
    File file = Program.onClassPath("tony.xml");
    if (file != null && !namesFile(given)) {
      flags.addAll(Arrays.asList("-conf_file", file.getPath()));
    }
    if (configuration != null) {
      flags.addAll(HadoopTypes.flagsOf(configuration));
    }
    flags.addAll(given);
    String objections = program.objectionsTo(flags);
    if (!objections.isEmpty()) {
      refuse(objections);
    }
    return true;
  }

  /**
   * Runs the job and tells the listeners about it, on this thread. Returns 0 if it succeeded, and
   * else -1. An interrupted thread kills the job.
   */
  public int start() {
    List<String> arguments = new ArrayList<>(Collections.singletonList("--json"));
    arguments.addAll(checkedFlags());
    ProcessBuilder command = program.tony(arguments)
        .redirectInput(new File("/dev/null"))
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    return run(command, this::follow) == 0 ? 0 : -1;
  }

  /**
   * Runs the job as a command line does: what it says, and the tasks' output, goes where this
   * process writes. With a listener it is start(). Returns the exit status of muster, which is -1
   * for every failure unless a flag asks for more.
   */
  public int startInForeground() {
    if (handler != null || !listeners.isEmpty()) {
      return start();
    }
    int status = run(program.tony(checkedFlags()).inheritIO(), () -> { });
    return status == 255 ? -1 : status;
  }

  /**
   * Stops the job and waits for its end; of a job that does not run, nothing. A listener that calls
   * it returns at once.
   */
  public void forceKillApplication() throws YarnException, IOException {
    stop();
  }

  public void addListener(TaskUpdateListener listener) {
    listeners.add(listener);
  }

  public void removeListener(TaskUpdateListener listener) {
    listeners.remove(listener);
  }

  public CopyOnWriteArrayList<TaskUpdateListener> getListener() {
    return listeners;
  }

  /** Returns the settings that the job was made with; TonY's among them come before the flags. */
  public Configuration getTonyConf() {
    if (configuration == null) {
      configuration = HadoopTypes.emptyConfiguration();
    }
    return configuration;
  }

  /** There is nothing to clean up: muster does it at the end of the job. */
  @Override
  public void close() {}

  /** Has the job killed when this process ends before it: by SIGTERM, Ctrl-C or System.exit(). */
  public void killAtExit() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopForExit, "muster-kill"));
  }

  private interface Following {
    void run() throws InterruptedException;
  }

  private int run(ProcessBuilder command, Following following) {
    try {
      launch(command);
    } catch (IOException failure) {
      System.err.println("muster: cannot run " + command.command().get(0) + ": "
          + failure.getMessage());
      return -1;
    }
    try {
      following.run();
      return process.waitFor();
    } catch (InterruptedException interrupt) {
      process.destroy();
      Program.waitFor(process);
      Thread.currentThread().interrupt();
      return -1;
    }
  }

  private void follow() throws InterruptedException {
    JobProcess output = new JobProcess(process);
    try {
      tell(output, new JobEvents(handler, listeners));
    } finally {
      output.discard();
    }
  }

  private static void tell(JobProcess output, JobEvents events) throws InterruptedException {
    for (String line = output.next(); line != null; line = output.next()) {
      try {
        events.take(line);
      } catch (IllegalArgumentException | ClassCastException malformed) {
        System.err.println("muster: " + malformed.getMessage() + " in: " + line);
      }
      if (!output.hasNext()) {
        events.tell();
      }
    }
    events.tell();
  }

  private synchronized void launch(ProcessBuilder command) throws IOException {
    if (exits) {
      throw new IOException("this process is ending");
    }
    starter = Thread.currentThread();
    process = command.start();
  }

  private void stopForExit() {
    synchronized (this) {
      exits = true;
    }
    stop();
  }

  private void stop() {
    Process running = process;
    if (running == null) {
      return;
    }
    running.destroy();
    if (Thread.currentThread() != starter) {
      Program.waitFor(running);
    }
  }

  private List<String> checkedFlags() {
    if (flags == null) {
      throw new IllegalStateException("call init() before the job is started");
    }
    return flags;
  }

  private static boolean namesFile(List<String> flags) {
    return flags.stream().anyMatch(flag -> flag.matches("--?conf_file(=.*)?"));
  }

  private static void refuse(String message) throws ParseException {
    try {
      HadoopTypes.refuse(message);
    } catch (NoClassDefFoundError withoutHadoop) {
      throw new IllegalArgumentException(message);
    }
  }
}
