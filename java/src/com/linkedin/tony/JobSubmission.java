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
  private static final int LISTENERS_TIME = 5;  // Seconds.

  private final CallbackHandler handler;
  private final CopyOnWriteArrayList<TaskUpdateListener> listeners = new CopyOnWriteArrayList<>();
  private Configuration configuration;
  private Program program;
  private List<String> flags;
  private volatile Process process;
  private volatile Thread starter;
  private volatile JobProcess output;
  private boolean killsAtExit;
  private boolean exits;
  private boolean stopped;

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
    flags = null;
    List<String> given = Arrays.asList(args);
    if (!Collections.disjoint(given, Arrays.asList("-help", "--help", "-h"))) {
      Program.waitFor(program.tony(Collections.singletonList("--help")).inheritIO().start());
      return false;
    }
    List<String> all = new ArrayList<>();
    List<String> named = GivenFlags.firstOf(given, "conf_file");
    File found = named.isEmpty() ? settingsFile() : null;
    if (found != null) {
      named = Collections.singletonList(found.getPath());
      all.addAll(Arrays.asList("-conf_file", found.getPath()));
    }
    if (configuration != null) {
      all.addAll(HadoopTypes.flagsOf(configuration));
    }
    all.addAll(given);
    String objections = program.objectionsTo(all);
    if (!objections.isEmpty()) {
      refuse(objections);
    }
    flags = all;
    if (configuration != null) {
      HadoopTypes.lay(configuration, Program.filesAmong(named), given);
    }
    return true;
  }

  /** Returns tony.xml: in a folder of the class path or, for embedding programs, in a jar of it. */
  private File settingsFile() throws IOException {
    File file = Program.onClassPath(Constants.TONY_XML);
    return file == null && configuration != null ? Program.resource(Constants.TONY_XML) : file;
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
    // A class of the caller's own may have a start() that does something else.
    if (handler != null || !listeners.isEmpty() || getClass() != TonyClient.class) {
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

  /**
   * Returns the settings of the constructor; TonY's among them come before the flags. After init()
   * those of the flags and of their local files are there, too. Changes after init() do nothing.
   */
  public Configuration getTonyConf() {
    if (configuration == null) {
      configuration = HadoopTypes.emptyConfiguration();
      if (flags != null) {
        HadoopTypes.lay(
            configuration, Program.filesAmong(GivenFlags.firstOf(flags, "conf_file")), flags);
      }
    }
    return configuration;
  }

  /** There is nothing to clean up: muster does it at the end of the job. */
  @Override
  public void close() {}

  /** Has the job killed when this process ends before it: by SIGTERM, Ctrl-C or System.exit(). */
  public void killAtExit() {
    killsAtExit = true;
  }

  private interface Following {
    void run() throws InterruptedException;
  }

  private int run(ProcessBuilder command, Following following) {
    Thread hook = killsAtExit ? new Thread(this::stopForExit, "muster-kill") : null;
    try {
      launch(command, hook);
    } catch (IOException | IllegalStateException failure) {
      forget(hook);
      System.err.println("muster: cannot run " + command.command().get(0) + ": "
          + failure.getMessage());
      return -1;
    }
    try {
      following.run();
      int status = process.waitFor();
      leaveStatusToExit();
      return status;
    } catch (InterruptedException interrupt) {
      signalOnce();
      Program.waitFor(process);
      Thread.currentThread().interrupt();
      return -1;
    } finally {
      forget(hook);
    }
  }

  /**
   * Does not return while this process is ended by a signal, or by System.exit(): System.exit() of
   * whoever gets the job's status could still replace the status of that end.
   */
  private void leaveStatusToExit() throws InterruptedException {
    boolean ends;
    synchronized (this) {
      ends = killsAtExit && exits;
    }
    if (ends) {
      Thread.currentThread().join();
    }
  }

  private void follow() throws InterruptedException {
    JobProcess lines = new JobProcess(process, line -> !JobEvents.isOutput(line));
    output = lines;
    try {
      tell(lines, new JobEvents(handler, listeners));
    } finally {
      lines.discard();
    }
  }

  private static void tell(JobProcess lines, JobEvents events) throws InterruptedException {
    for (String line = lines.next(); line != null; line = lines.next()) {
      try {
        events.take(line);
      } catch (IllegalArgumentException | ClassCastException malformed) {
        System.err.println("muster: " + malformed.getMessage() + " in: " + line);
      }
      if (!lines.hasNext()) {
        events.tell();
      }
    }
    events.tell();
  }

  /** With a hook the process does not start once this one ends. */
  private synchronized void launch(ProcessBuilder command, Thread hook) throws IOException {
    if (hook != null) {
      Runtime.getRuntime().addShutdownHook(hook);
    }
    if (exits) {
      throw new IOException("this process is ending");
    }
    starter = Thread.currentThread();
    output = null;
    stopped = false;
    process = command.start();
  }

  private static void forget(Thread hook) {
    try {
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException ending) {
      // It runs already, or is about to.
    }
  }

  private void stopForExit() {
    synchronized (this) {
      exits = true;
    }
    stop();
  }

  /** Signals a process once, however many ask for it. */
  private synchronized void signalOnce() {
    if (!stopped) {
      stopped = true;
      Program.terminate(process);
    }
  }

  private void stop() {
    Process running = process;
    if (running == null) {
      return;
    }
    signalOnce();
    // A listener that does not return, which may wait for this very end, must not hold up the job.
    while (Thread.currentThread() != starter && !Program.endsWithin(running, LISTENERS_TIME)) {
      JobProcess lines = output;
      if (lines != null && lines.isFull()) {
        lines.discard();
      }
    }
  }

  private List<String> checkedFlags() {
    if (flags == null) {
      throw new IllegalStateException("call init() before the job is started");
    }
    return flags;
  }

  private static void refuse(String message) throws ParseException {
    try {
      HadoopTypes.refuse(message);
    } catch (NoClassDefFoundError withoutHadoop) {
      throw new IllegalArgumentException(message);
    }
  }
}
