package com.linkedin.tony.azkaban;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Properties;

/**
 * Runs a job of Azkaban whose properties are those of TonY's job type. Azkaban starts it as a
 * process of its own (`type=javaprocess`, java/README.md) and names the file with the resolved
 * properties in $JOB_PROP_FILE.
 */
public final class TonyJob {
  private TonyJob() {}

  public static void main(String[] args) throws IOException {
    String file = System.getenv("JOB_PROP_FILE");
    if (file == null || file.isEmpty()) {
      System.err.println("muster: JOB_PROP_FILE is not set; Azkaban sets it to the file with the "
          + "job's properties when it runs a job of type javaprocess");
      System.exit(-1);
    }
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(Paths.get(file), StandardCharsets.UTF_8)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException unreadable) {
      System.err.println("muster: cannot read the job's properties, JOB_PROP_FILE=" + file + ": "
          + unreadable.getMessage());
      System.exit(-1);
    }
    System.exit(run(new TonyFlags(properties)));
  }

  private static int run(TonyFlags flags) throws IOException {
    Path settings = Files.createTempFile("tony-", ".xml");
    settings.toFile().deleteOnExit();
    Files.write(settings, flags.settings().getBytes(StandardCharsets.UTF_8));
    String[] all = flags.flags().toArray(new String[0]);
    return CommandLine.run(
        new TonyClient(), CommandLine.before(all, "-conf_file", settings.toString()));
  }
}
