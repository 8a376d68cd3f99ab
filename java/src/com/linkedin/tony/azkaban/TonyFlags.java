package com.linkedin.tony.azkaban;

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** What the properties of an Azkaban job mean: TonY's flags, and TonY's settings. */
final class TonyFlags {
  private static final String ENVIRONMENT = "worker_env.";
  private static final String TAGS = "tony.application.tags";
  /** What the application's tags tell of the flow, each as KEY:VALUE. */
  private static final List<String> TAG_KEYS = Arrays.asList("azkaban.flow.execid",
      "azkaban.flow.flowid", "azkaban.flow.projectname", "azkaban.webserverhost");
  /** An option of Java's virtual machine, which no task has here. */
  private static final String JAVA_OPTIONS = "tony.default.jvm.opts";

  private final Map<String, String> properties = new TreeMap<>();

  TonyFlags(Properties properties) {
    for (String key : properties.stringPropertyNames()) {
      this.properties.put(key, properties.getProperty(key));
    }
  }

  /** Returns the flags: those of main.args, then TonY's for each property. */
  List<String> flags() {
    List<String> flags = words(properties.getOrDefault("main.args", ""));
    addFlag(flags, "src_dir", Files.exists(Paths.get("src")) ? "src" : null);
    addFlag(flags, "hdfs_classpath", null);
    properties.forEach((key, value) -> {
      if (key.startsWith(ENVIRONMENT)) {
        addEnvironment(flags, key.substring(ENVIRONMENT.length()), unquoted(value));
      }
    });
    if (properties.containsKey("task_params")) {
      // TonY's job type put quotes around these itself.
      flags.addAll(Arrays.asList("-task_params", properties.get("task_params")));
    }
    addFlag(flags, "python_binary_path", null);
    addFlag(flags, "python_venv", null);
    addFlag(flags, "executes", null);
    addDataSets(flags, "azkaban.input.dataset", "AZKABAN_INPUT_DATASET");
    addDataSets(flags, "azkaban.output.dataset", "AZKABAN_OUTPUT_DATASET");
    return flags;
  }

  /** Returns a tony.xml: all `tony.` properties, with tags that name the flow. */
  String settings() {
    Map<String, String> settings = new TreeMap<>();
    List<String> tags = new ArrayList<>();
    properties.forEach((key, value) -> {
      if (key.startsWith("tony.") && !key.equals(JAVA_OPTIONS)) {
        settings.put(key, value);
      }
    });
    if (settings.containsKey(TAGS)) {
      tags.add(settings.get(TAGS));
    }
    for (String key : TAG_KEYS) {
      if (properties.containsKey(key)) {
        tags.add(key + ":" + properties.get(key));
      }
    }
    if (!tags.isEmpty()) {
      settings.put(TAGS, String.join(",", tags));
    }
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    settings.forEach((key, value) -> xml.append("<property><name>").append(escaped(key))
        .append("</name><value>").append(escaped(value)).append("</value></property>\n"));
    return xml.append("</configuration>\n").toString();
  }

  private void addFlag(List<String> flags, String name, String otherwise) {
    String value = properties.getOrDefault(name, otherwise);
    if (value != null) {
      flags.addAll(Arrays.asList("-" + name, unquoted(value)));
    }
  }

  private static void addEnvironment(List<String> flags, String name, String value) {
    flags.addAll(Arrays.asList("-shell_env", name + "=" + value));
  }

  /**
   * Returns a value without quotes that are there for Azkaban's command line: TonY's job type wrote
   * the values into one, so that those with blanks had to be in quotes. A value of several words
   * lost all but the first there, and is taken whole here.
   */
  private static String unquoted(String value) {
    List<String> words = words(value);
    return words.size() == 1 ? words.get(0) : value;
  }

  /** TonY's variables hold no commas: data sets are separated by semicolons. */
  private void addDataSets(List<String> flags, String key, String variable) {
    if (properties.containsKey(key)) {
      addEnvironment(flags, variable, properties.get(key).replace(',', ';'));
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** Splits a command line at blanks that stand in no quotes; quotes are removed. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    char quote = 0;
    for (char next : line.toCharArray()) {
      if (quote != 0) {
        if (next == quote) {
          quote = 0;
        } else {
          word.append(next);
        }
      } else if (next == '"' || next == '\'') {
        quote = next;
        inWord = true;
      } else if (!Character.isWhitespace(next)) {
        word.append(next);
        inWord = true;
      } else if (inWord) {
        words.add(word.toString());
        word.setLength(0);
        inWord = false;
      }
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }
}
