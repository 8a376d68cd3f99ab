#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace muster::log {

/// Error means a human must act; in simulation it fails the run.
enum class Level : uint8_t { Debug, Info, Warning, Error };

/// One key and its value, already as text.
struct Field {
  std::string_view key;
  std::string value;

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  template <class T>
    requires(std::is_arithmetic_v<T>)
  Field(std::string_view k, T v) : key(k), value(fmt::to_string(v)) {}
};

/// Where log lines go. One per process, passed to the shells by constructor (no global).
/// Implementations: FileSink in `os`, RecordingSink in `testing`.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Writes one line. Must not throw or block for long; a failing write is dropped.
  virtual void write(Level level, std::string_view event, std::initializer_list<Field> fields) = 0;
};

/// A Sink bound to a context (job, container, attempt) that is put before each line's own fields.
/// Copies share the sink, which must outlive them. `event` is a stable dotted name:
/// "task.launched".
class Logger {
 public:
  explicit Logger(Sink& sink) : sink_(&sink) {}
  void debug(std::string_view event, std::initializer_list<Field> fields = {}) const {
    sink_->write(Level::Debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<Field> fields = {}) const {
    sink_->write(Level::Info, event, fields);
  }
  void warning(std::string_view event, std::initializer_list<Field> fields = {}) const {
    sink_->write(Level::Warning, event, fields);
  }
  void error(std::string_view event, std::initializer_list<Field> fields = {}) const {
    sink_->write(Level::Error, event, fields);
  }

 private:
  Sink* sink_;
};

/// Drops everything.
class NullSink final : public Sink {
 public:
  void write(Level, std::string_view, std::initializer_list<Field>) override {}
};

/// Returns "level event key=value key="quoted value"" without a newline or a time.
[[nodiscard]] std::string format_line(Level level, std::string_view event,
                                      std::initializer_list<Field> fields);

}  // namespace muster::log
