import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.client.cli.YarnCLI;

/**
 * Runs Hadoop's own command-line tools one after the other in one process: a start of the virtual
 * machine for each would take most of the time of a test. The argument is the path of a socket; it
 * takes one command from each connection.
 *
 * <p>A request: number of arguments, the arguments (the first one names the class), the command's
 * standard input. The reply: exit status, standard output, standard error. Numbers have 32 bits,
 * big endian; texts are preceded by their length.
 */
public final class ShellServer {
  private ShellServer() {}

  public static void main(String[] arguments) throws IOException {
    Path path = Path.of(arguments[0]);
    Files.deleteIfExists(path);
    PrintStream log = System.err;
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(path));
      while (true) {
        try (SocketChannel client = listener.accept()) {
          serve(
              new DataInputStream(new BufferedInputStream(Channels.newInputStream(client))),
              new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(client))));
        } catch (IOException gone) {
          log.println("a client has gone: " + gone);
        } finally {
          System.setErr(log);
        }
      }
    }
  }

  private static void serve(DataInputStream request, DataOutputStream reply) throws IOException {
    String[] words = new String[request.readInt()];
    for (int i = 0; i < words.length; i++) {
      words[i] = new String(readBytes(request), "UTF-8");
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setIn(new ByteArrayInputStream(readBytes(request)));
    System.setOut(new PrintStream(out, true, "UTF-8"));
    System.setErr(new PrintStream(err, true, "UTF-8"));
    int status = run(words);
    System.out.flush();
    System.err.flush();
    reply.writeInt(status);
    write(reply, out.toByteArray());
    write(reply, err.toByteArray());
    reply.flush();
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
