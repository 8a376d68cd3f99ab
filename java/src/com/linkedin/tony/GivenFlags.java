package com.linkedin.tony;

import java.util.ArrayList;
import java.util.List;

/** TonY's flags in their spellings: `-name VALUE`, `--name VALUE`, `-name=VALUE` and so on. */
final class GivenFlags {
  private GivenFlags() {}

  /** Returns the values of a flag, in their order. */
  static List<String> valuesOf(List<String> flags, String name) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < flags.size(); ++i) {
      String flag = flags.get(i).startsWith("--") ? flags.get(i).substring(1) : flags.get(i);
      if (flag.startsWith("-" + name + "=")) {
        values.add(flag.substring(name.length() + 2));
      } else if (flag.equals("-" + name) && i + 1 < flags.size()) {
        values.add(flags.get(++i));
      }
    }
    return values;
  }

  /** Returns the value that counts of a flag with one value, which is the first; or nothing. */
  static List<String> firstOf(List<String> flags, String name) {
    List<String> values = valuesOf(flags, name);
    return values.subList(0, Math.min(1, values.size()));
  }
}
