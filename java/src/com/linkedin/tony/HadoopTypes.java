package com.linkedin.tony;

import com.linkedin.tony.client.CallbackHandler;
import java.io.File;
import java.net.MalformedURLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.cli.ParseException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * Everything that needs Hadoop's classes. It is loaded only for callers who have them, because they
 * pass one: the command lines need none, and start faster without.
 */
final class HadoopTypes {
  private static final Pattern APPLICATION_ID = Pattern.compile("application_(\\d+)_(\\d+)");

  private HadoopTypes() {}

  static Configuration emptyConfiguration() {
    return new Configuration(false);
  }

  /**
   * Returns TonY's settings among these as flags, in the order of their names. What a program has
   * set replaces what files say, lists, too; what it has read from files of its own counts below
   * tony.xml, as TonY reads that after them.
   */
  static List<String> flagsOf(Configuration configuration) {
    Map<String, String> settings = new TreeMap<>();
    for (Map.Entry<String, String> setting : configuration) {
      if (setting.getKey().startsWith("tony.")) {
        settings.put(setting.getKey(), configuration.get(setting.getKey()));
      }
    }
    Set<String> kept = configuration.getFinalParameters();
    List<String> flags = new ArrayList<>();
    settings.forEach((key, value) -> {
      boolean above = isSet(configuration.getPropertySources(key)) || kept.contains(key);
      flags.add(above ? "--setting" : "--default-setting");
      flags.add(key + "=" + value);
    });
    return flags;
  }

  /** Whether a program has called set(): Hadoop names that in the place of a file. */
  private static boolean isSet(String[] sources) {
    return sources == null || sources.length == 0
        || Arrays.asList(sources).contains("programmatically");
  }

  /**
   * Lays what init() has read over a configuration, as its callers look there for it: the files on
   * this machine, the `-conf` flags, and what TonY makes settings of among the other flags.
   */
  static void lay(Configuration configuration, List<File> files, List<String> flags) {
    addAll(configuration, files);
    for (String setting : GivenFlags.valuesOf(flags, "conf")) {
      String[] parts = setting.split("=", 2);
      String name = parts[0].trim();
      String value = parts.length == 1 ? "" : parts[1].trim();
      String there = configuration.get(name);
      boolean adds = TonyConfigurationKeys.MULTI_VALUE_CONF.contains(name)
          && there != null && !there.isEmpty();
      configuration.set(name, adds ? there + "," + value : value);
    }
    layCommand(configuration, flags);
    GivenFlags.valuesOf(flags, "shell_env").forEach(
        entry -> append(configuration, TonyConfigurationKeys.EXECUTION_ENV, entry));
    GivenFlags.valuesOf(flags, "container_env").forEach(
        entry -> append(configuration, TonyConfigurationKeys.CONTAINER_LAUNCH_ENV, entry));
    for (String paths : GivenFlags.firstOf(flags, "hdfs_classpath")) {
      String root = defaultFileSystem(configuration);
      for (String path : paths.split(",")) {
        append(configuration, TonyConfigurationKeys.getContainerResourcesKey(),
            path.contains("://") ? path : root + path);
      }
    }
  }

  private static void layCommand(Configuration configuration, List<String> flags) {
    for (String command : GivenFlags.firstOf(flags, "executes")) {
      String parameters = String.join("", GivenFlags.firstOf(flags, "task_params"));
      String whole = parameters.isEmpty() ? command : command + " " + parameters;
      for (String python : GivenFlags.firstOf(flags, "python_binary_path")) {
        boolean packed = !GivenFlags.firstOf(flags, "python_venv").isEmpty();
        String folder = packed && !python.startsWith("/") ? Constants.PYTHON_VENV_DIR + "/" : "";
        String interpreter = folder + python;
        configuration.set(TonyConfigurationKeys.PYTHON_EXEC_PATH, interpreter);
        whole = interpreter + " " + whole;
      }
      configuration.set(TonyConfigurationKeys.getContainerExecuteCommandKey(), whole);
    }
  }

  private static void append(Configuration configuration, String key, String entry) {
    String there = configuration.get(key);
    configuration.set(key, there == null || there.isEmpty() ? entry : there + "," + entry);
  }

  /** Returns what goes before a path of the default file system, as Hadoop's clients find it. */
  private static String defaultFileSystem(Configuration settings) {
    Configuration hadoop = new Configuration();
    List<File> files = new ArrayList<>();
    String folder = System.getenv(Constants.HADOOP_CONF_DIR);
    if (folder != null) {
      files.add(new File(folder, Constants.CORE_SITE_CONF));
      files.add(new File(folder, Constants.HDFS_SITE_CONF));
    }
    String named = settings.get(TonyConfigurationKeys.HDFS_CONF_LOCATION);
    if (named != null) {
      files.add(new File(named));
    }
    files.removeIf(file -> !file.isFile());
    addAll(hadoop, files);
    String root = hadoop.get("fs.defaultFS");
    return root == null ? "" : root.replaceAll("(?<=[^/])/$", "");
  }

  private static void addAll(Configuration configuration, List<File> files) {
    try {
      for (File file : files) {
        configuration.addResource(file.toURI().toURL());
      }
    } catch (MalformedURLException never) {
      throw new IllegalStateException(never);
    }
  }

  static void tell(CallbackHandler handler, String applicationId) {
    Matcher id = APPLICATION_ID.matcher(applicationId);
    if (id.matches()) {
      handler.onApplicationIdReceived(
          ApplicationId.newInstance(Long.parseLong(id.group(1)), Integer.parseInt(id.group(2))));
    }
  }

  /** Always throws. */
  static void refuse(String message) throws ParseException {
    throw new ParseException(message);
  }
}
