package com.linkedin.tony;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one JSON value: objects as maps, arrays as lists, numbers as doubles. What is no JSON is an
 * IllegalArgumentException that says where.
 */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Map<?, ?> object(String text) {
    Json reader = new Json(text);
    Object value = reader.value();
    reader.skipBlanks();
    if (reader.at != text.length() || !(value instanceof Map)) {
      throw reader.malformed("one object and nothing else");
    }
    return (Map<?, ?>) value;
  }

  private Object value() {
    skipBlanks();
    switch (peek()) {
      case '{':
        return map();
      case '[':
        return list();
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> map() {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    if (!closes('}')) {
      do {
        skipBlanks();
        String key = string();
        skipBlanks();
        expect(':');
        members.put(key, value());
      } while (goesOn('}'));
    }
    return members;
  }

  private List<Object> list() {
    List<Object> elements = new ArrayList<>();
    at++;
    if (!closes(']')) {
      do {
        elements.add(value());
      } while (goesOn(']'));
    }
    return elements;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (peek() != '"') {
      char next = text.charAt(at++);
      out.append(next == '\\' ? escaped() : next);
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    char kind = peek();
    at++;
    if (kind == 'u') {
      if (at + 4 > text.length()) {
        throw malformed("four hexadecimal digits");
      }
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
    int plain = "\"\\/bfnrt".indexOf(kind);
    if (plain < 0) {
      throw malformed("an escape");
    }
    return "\"\\/\b\f\n\r\t".charAt(plain);
  }

  private Double number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (from == at) {
      throw malformed("a value");
    }
    return Double.valueOf(text.substring(from, at));
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw malformed("a value");
    }
    at += word.length();
    return value;
  }

  /** Returns whether another element follows; the end has been read if not. */
  private boolean goesOn(char end) {
    if (closes(end)) {
      return false;
    }
    expect(',');
    return true;
  }

  private boolean closes(char end) {
    skipBlanks();
    if (peek() != end) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw malformed("'" + wanted + "'");
    }
    at++;
  }

  private char peek() {
    if (at >= text.length()) {
      throw malformed("more");
    }
    return text.charAt(at);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException malformed(String wanted) {
    return new IllegalArgumentException("malformed JSON: expected " + wanted + " at " + at);
  }
}
