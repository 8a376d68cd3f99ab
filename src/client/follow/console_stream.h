#pragma once

#include "rt/fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::client {

/// Standard output or standard error, written to as a program run by hand would: a slow reader is
/// waited for. Only a signal does not wait for the reader: while one is pending, nothing else is
/// waited for, and from then on (hurry()) a reader that takes nothing for a while counts as gone.
/// So a program that is asked to end does end, even with a full pipe behind it.
class ConsoleStream {
 public:
  explicit ConsoleStream(int fd);

  /// Writes all of it, keeps it while a signal is pending, or drops it once the stream has failed.
  void write(std::string_view text);
  /// `signals` is a descriptor that is readable while a signal is pending that will be obeyed; -1
  /// for none. Returns the previous one.
  int give_way_to(int signals);
  /// A signal has come that did not meet a waiting reader: no longer wait for one that takes
  /// nothing.
  void hurry() { hurried_ = true; }

  [[nodiscard]] int fd() const { return fd_; }
  /// Returns whether it has failed for good.
  [[nodiscard]] bool failed() const { return error_ != 0; }
  /// Returns why, as errno: EPIPE if its reader went away, EAGAIN if that took nothing after a
  /// signal.
  [[nodiscard]] int error() const { return error_; }

 private:
  enum class Kind : uint8_t { Pipe, Socket, Other };
  [[nodiscard]] static Kind kind_of(int fd);

  [[nodiscard]] std::string_view write_some(std::string_view text);
  /// Writes without waiting, if possible; returns what write() would.
  [[nodiscard]] long write_now(std::string_view text) const;
  [[nodiscard]] bool signal_pending() const;
  /// Waits for the reader; returns whether it takes more now.
  [[nodiscard]] bool wait();

  int fd_;
  Kind kind_;
  int signals_ = -1;
  rt::Fd unblocking_;     ///< The same pipe, reopened here: others' writes still block.
  bool hurried_ = false;  ///< A signal has come.
  std::string kept_;      ///< What was not written then.
  int error_ = 0;
};

}  // namespace muster::client
