import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.client.cli.YarnCLI;

/**
 * Runs Hadoop's own command-line tools one after the other in one process: a start of the virtual
 * machine for each would take most of the time of a test.
 *
 * <p>A request on standard input: number of arguments, the arguments (the first one names the
 * class), the command's standard input. The reply on standard output: exit status, standard output,
 * standard error. Numbers have 32 bits, big endian; texts are preceded by their length.
 */
public final class ShellServer {
  private ShellServer() {}

  public static void main(String[] arguments) throws Exception {
    DataInputStream requests = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream replies = new DataOutputStream(new BufferedOutputStream(System.out));
    PrintStream log = System.err;
    while (true) {
      int count = readCount(requests);
      if (count < 0) {
        return;
      }
      String[] words = new String[count];
      for (int i = 0; i < count; i++) {
        words[i] = new String(readBytes(requests), "UTF-8");
      }
      InputStream input = new ByteArrayInputStream(readBytes(requests));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      System.setIn(input);
      System.setOut(new PrintStream(out, true, "UTF-8"));
      System.setErr(new PrintStream(err, true, "UTF-8"));
      int status = run(words);
      System.out.flush();
      System.err.flush();
      System.setErr(log);
      replies.writeInt(status);
      write(replies, out.toByteArray());
      write(replies, err.toByteArray());
      replies.flush();
    }
  }

  private static int run(String[] words) {
    try {
      Tool tool = newTool(Class.forName(words[0]));
      if (tool instanceof YarnCLI) {
        ((YarnCLI) tool).setSysOutPrintStream(System.out);
        ((YarnCLI) tool).setSysErrPrintStream(System.err);
      }
      String[] arguments = new String[words.length - 1];
      System.arraycopy(words, 1, arguments, 0, arguments.length);
      return ToolRunner.run(new Configuration(), tool, arguments);
    } catch (Throwable error) {
      error.printStackTrace(System.err);
      return 255;
    }
  }

  private static Tool newTool(Class<?> type) throws ReflectiveOperationException {
    try {
      return (Tool) type.getDeclaredConstructor().newInstance();
    } catch (NoSuchMethodException none) {
      return (Tool) type.getConstructor(Configuration.class).newInstance(new Configuration());
    }
  }

  /** Returns -1 at the end of the requests. */
  private static int readCount(DataInputStream requests) throws IOException {
    requests.mark(1);
    if (requests.read() < 0) {
      return -1;
    }
    requests.reset();
    return requests.readInt();
  }

  private static byte[] readBytes(DataInputStream requests) throws IOException {
    byte[] bytes = new byte[requests.readInt()];
    requests.readFully(bytes);
    return bytes;
  }

  private static void write(DataOutputStream replies, byte[] bytes) throws IOException {
    replies.writeInt(bytes.length);
    replies.write(bytes);
  }
}
