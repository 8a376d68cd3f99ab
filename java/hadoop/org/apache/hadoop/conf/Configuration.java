package org.apache.hadoop.conf;

import java.net.URL;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** What the jar is compiled against of Hadoop's class of this name; at run time it is Hadoop's. */
public class Configuration implements Iterable<Map.Entry<String, String>> {
  public Configuration() {}

  public Configuration(boolean loadDefaults) {}

  public String get(String name) {
    throw new UnsupportedOperationException();
  }

  public void set(String name, String value) {
    throw new UnsupportedOperationException();
  }

  public void addResource(URL url) {
    throw new UnsupportedOperationException();
  }

  public String[] getPropertySources(String name) {
    throw new UnsupportedOperationException();
  }

  public Set<String> getFinalParameters() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Iterator<Map.Entry<String, String>> iterator() {
    throw new UnsupportedOperationException();
  }
}
