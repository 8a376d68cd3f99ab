package com.linkedin.tony.azkaban;

import com.linkedin.tony.CommandLine;
import com.linkedin.tony.TonyClient;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
    try {
      properties.load(new StringReader(text(Files.readAllBytes(Paths.get(file)))));
    } catch (IOException | IllegalArgumentException unreadable) {
      boolean missing = unreadable instanceof NoSuchFileException;
      System.err.println("muster: cannot read the job's properties, JOB_PROP_FILE=" + file + ": "
          + (missing ? "there is no such file" : unreadable.getMessage()));
      System.exit(-1);
    }
    System.exit(run(new TonyFlags(properties)));
  }

  /** Azkaban escapes all but ASCII; people write UTF-8, or what is Java's own for such files. */
  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException other) {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
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
