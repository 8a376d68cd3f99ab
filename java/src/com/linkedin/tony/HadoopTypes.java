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
   * this machine, and the `-conf` flags.
   */
  static void lay(Configuration configuration, List<File> files, List<String> settings) {
    try {
      for (File file : files) {
        configuration.addResource(file.toURI().toURL());
      }
    } catch (MalformedURLException never) {
      throw new IllegalStateException(never);
    }
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      String name = parts[0].trim();
      String value = parts.length == 1 ? "" : parts[1].trim();
      String there = configuration.get(name);
      boolean adds = TonyConfigurationKeys.MULTI_VALUE_CONF.contains(name)
          && there != null && !there.isEmpty();
      configuration.set(name, adds ? there + "," + value : value);
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
