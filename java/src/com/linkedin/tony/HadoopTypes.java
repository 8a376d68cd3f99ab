package com.linkedin.tony;

import com.linkedin.tony.client.CallbackHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /** Returns TonY's settings among these as flags, in the order of their names. */
  static List<String> flagsOf(Configuration configuration) {
    Map<String, String> settings = new TreeMap<>();
    for (Map.Entry<String, String> setting : configuration) {
      if (setting.getKey().startsWith("tony.")) {
        settings.put(setting.getKey(), configuration.get(setting.getKey()));
      }
    }
    List<String> flags = new ArrayList<>();
    settings.forEach((key, value) -> {
      flags.add("-conf");
      flags.add(key + "=" + value);
    });
    return flags;
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
