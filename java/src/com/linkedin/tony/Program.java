package com.linkedin.tony;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The program `muster`, which does all the work. */
final class Program {
  private static final File NOTHING = new File("/dev/null");

  private final File file;

  private Program(File file) {
    this.file = file;
  }

  /** Finds it: $MUSTER_BINARY, else beside this jar, else on PATH. */
  static Program find() throws IOException {
    String named = System.getenv("MUSTER_BINARY");
    if (named != null && !named.isEmpty()) {
      if (!isProgram(new File(named))) {
        throw new IOException("MUSTER_BINARY is " + named
            + ", which is not a program that can be run; set it to the path of muster");
      }
      return new Program(new File(named));
    }
    File jar = jar();
    File beside = new File(jar == null ? new File(".") : jar.getParentFile(), "muster");
    if (jar != null && isProgram(beside)) {
      return new Program(beside);
    }
    String path = System.getenv("PATH");
    for (String folder : (path == null ? "" : path).split(File.pathSeparator)) {
      if (!folder.isEmpty() && isProgram(new File(folder, "muster"))) {
        return new Program(new File(folder, "muster"));
      }
    }
    throw new IOException("the program muster was not found: MUSTER_BINARY is not set, "
        + (jar == null ? "" : "there is no " + beside + ", ")
        + "and there is none on PATH; install it, or set MUSTER_BINARY to its path");
  }

  /** Returns the process to be: `muster tony ARGUMENT...`, with this one's environment. */
  ProcessBuilder tony(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(file.getPath());
    command.add("tony");
    command.addAll(arguments);
    ProcessBuilder process = new ProcessBuilder(command);
    String hadoop = "HADOOP_CONF_DIR";
    File folder = process.environment().containsKey(hadoop) ? null : onClassPath("core-site.xml");
    if (folder != null) {
      process.environment().put(hadoop, folder.getParent());
    }
    return process;
  }

  /** Returns what the program says against these flags; "" if it accepts them. */
  String objectionsTo(List<String> flags) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add("--convert");
    arguments.addAll(flags);
    Process process = tony(arguments).redirectInput(NOTHING).redirectOutput(NOTHING).start();
    String said = readAll(process.getErrorStream()).trim();
    if (waitFor(process) == 0) {
      return "";
    }
    String prefix = "muster: ";
    return said.isEmpty() ? "muster refused the flags without a word"
        : said.startsWith(prefix) ? said.substring(prefix.length()) : said;
  }

  /** Waits for the end of a process, whoever interrupts; returns its exit status. */
  static int waitFor(Process process) {
    boolean interrupted = false;
    while (true) {
      try {
        int status = process.waitFor();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return status;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
  }

  /**
   * Sends SIGTERM. Process.destroy(), which Java 8 has alone, closes the pipes as well, so that
   * nobody hears what the process says of its end.
   */
  static void terminate(Process process) {
    try {
      Object handle = Process.class.getMethod("toHandle").invoke(process);
      Class.forName("java.lang.ProcessHandle").getMethod("destroy").invoke(handle);
    } catch (ReflectiveOperationException java8) {
      process.destroy();
    }
  }

  /** Waits for the end of a process, whoever interrupts; returns whether it came in time. */
  static boolean endsWithin(Process process, int seconds) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    boolean interrupted = false;
    boolean ended = false;
    for (long left = until - System.nanoTime(); left > 0 && !ended;
        left = until - System.nanoTime()) {
      try {
        ended = process.waitFor(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  /**
   * Returns the file of this name in a folder of the class path, or null. Jars are not opened: with
   * Hadoop's on the class path that would take longer than everything else.
   */
  static File onClassPath(String name) {
    for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator)) {
      File file = new File(entry.isEmpty() ? "." : entry, name);
      if (!entry.endsWith(".jar") && file.isFile()) {
        return file.getAbsoluteFile();
      }
    }
    return null;
  }

  /**
   * Returns a file of the calling thread's class path, copied if it lies in a jar, or null. Looks
   * into every jar.
   */
  static File resource(String name) throws IOException {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    URL found = loader == null ? null : loader.getResource(name);
    if (found == null) {
      return null;
    }
    if (found.getProtocol().equals("file")) {
      return new File(URI.create(found.toString()));
    }
    Path copy = Files.createTempFile("muster-", "-" + name);
    copy.toFile().deleteOnExit();
    try (InputStream in = found.openStream()) {
      Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
    }
    return copy.toFile();
  }

  /** Returns the files of this machine among those named, and the site's if there is one. */
  static List<File> filesAmong(List<String> names) {
    String folder = System.getenv(Constants.TONY_CONF_DIR);
    List<File> files = names.stream().map(File::new).collect(Collectors.toList());
    files.add(new File(folder == null ? Constants.DEFAULT_TONY_CONF_DIR : folder,
        Constants.TONY_SITE_CONF));
    files.removeIf(file -> !file.isFile());
    return files;
  }

  private static boolean isProgram(File file) {
    return file.isFile() && file.canExecute();
  }

  /** Returns the jar that this class comes from, or null if it comes from elsewhere. */
  private static File jar() {
    CodeSource source = Program.class.getProtectionDomain().getCodeSource();
    try {
      File file = source == null ? null : new File(source.getLocation().toURI());
      return file != null && file.isFile() ? file : null;
    } catch (URISyntaxException | IllegalArgumentException elsewhere) {
      return null;
    }
  }

  private static String readAll(InputStream stream) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] piece = new byte[4096];
    for (int size = stream.read(piece); size >= 0; size = stream.read(piece)) {
      all.write(piece, 0, size);
    }
    return new String(all.toByteArray(), StandardCharsets.UTF_8);
  }
}
