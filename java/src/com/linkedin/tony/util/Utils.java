package com.linkedin.tony.util;

import com.linkedin.tony.TonyConfigurationKeys;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/** How TonY reads values of its settings, for programs that make a Configuration. */
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
