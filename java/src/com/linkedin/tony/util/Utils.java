package com.linkedin.tony.util;

import com.linkedin.tony.Constants;
import com.linkedin.tony.TonyConfigurationKeys;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.yarn.api.records.LocalResourceType;

/**
 * How TonY reads values of its settings, and adds files to them, for programs that make a
 * Configuration, among them submitters made after TonY's own.
 */
public final class Utils {
  private static final Pattern INSTANCES =
      Pattern.compile(TonyConfigurationKeys.INSTANCES_REGEX);

  private Utils() {}

  /** Returns what `KEY=VALUE` entries say; without `=` the value is empty. None: an empty map. */
  public static Map<String, String> parseKeyValue(String[] keyValues) {
    Map<String, String> values = new HashMap<>();
    for (String entry : keyValues == null ? new String[0] : keyValues) {
      String[] parts = entry.trim().split("=", 2);
      values.put(parts[0], parts.length == 1 ? "" : parts[1]);
    }
    return values;
  }

  /** Returns the megabytes of "2g", "512m" or "512". */
  public static String parseMemoryString(String memory) {
    String text = memory.toLowerCase(Locale.ROOT);
    int unit = text.indexOf('m');
    if (unit >= 0) {
      return text.substring(0, unit);
    }
    unit = text.indexOf('g');
    return unit < 0 ? text : Integer.toString(Integer.parseInt(text.substring(0, unit)) * 1024);
  }

  /**
   * Copies a file to a folder of a file system, under a name, and adds it to the list of files that
   * a setting is.
   */
  public static void uploadFileAndSetConfResources(Path folder, Path file, String name,
      Configuration conf, LocalResourceType type, String key) throws IOException {
    Path target = new Path(folder, name);
    FileSystem here =
        file.toUri().getScheme() == null ? FileSystem.getLocal(conf) : file.getFileSystem(conf);
    FileSystem there = target.getFileSystem(conf);
    FileUtil.copy(here, file, there, target, false, true, conf);
    there.setPermission(target, new FsPermission((short) 0770));
    String archive = type == LocalResourceType.ARCHIVE ? Constants.ARCHIVE_SUFFIX : "";
    appendConfResources(key, target + archive, conf);
  }

  /** Adds an entry to the list that a setting is; null adds nothing. */
  public static void appendConfResources(String key, String resource, Configuration conf) {
    String there = conf.get(key);
    if (resource != null) {
      conf.set(key, there == null || there.isEmpty() ? resource : there + "," + resource);
    }
  }

  /** Removes a folder of a file system, and says so on standard error where it cannot. */
  public static void cleanupHDFSPath(Configuration conf, Path path) {
    if (path == null) {
      return;
    }
    try {
      path.getFileSystem(conf).delete(path, true);
    } catch (IOException failure) {
      System.err.println("muster: cannot remove " + path + ": " + failure.getMessage());
    }
  }

  /** Returns the types of tasks that a `tony.TYPE.instances` names. */
  public static Set<String> getAllJobTypes(Configuration conf) {
    Set<String> types = new HashSet<>();
    for (Map.Entry<String, String> setting : conf) {
      Matcher name = INSTANCES.matcher(setting.getKey());
      if (name.matches()) {
        types.add(name.group(1));
      }
    }
    return types;
  }
}
