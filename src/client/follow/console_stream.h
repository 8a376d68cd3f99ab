#pragma once

#include "rt/fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::client {

/// Standard output or standard error, written to as the program would do it by hand: what reads it
/// may be slow, and is waited for. Only a signal does not wait for it: while one is pending,
/// nothing else is waited for, and from then on a reader that takes nothing for a while counts as
/// gone. So whoever is asked to end does, with a full pipe behind it, too.
class ConsoleStream {
 public:
  explicit ConsoleStream(int fd);

  /// Writes all of it, or keeps it while a signal is pending, or drops it once this has failed.
  void write(std::string_view text);
  /// `signals` can be read while a signal is pending that somebody will obey; -1 for none. Returns
  /// what was there before.
  int give_way_to(int signals);

  [[nodiscard]] int fd() const { return fd_; }
  /// Whether it takes no more for good.
  [[nodiscard]] bool failed() const { return error_ != 0; }
  /// Why, as errno: EPIPE when its reader went away, EAGAIN when that took nothing after a signal.
  [[nodiscard]] int error() const { return error_; }

 private:
  enum class Kind : uint8_t { Pipe, Socket, Other };
  [[nodiscard]] static Kind kind_of(int fd);

  [[nodiscard]] std::string_view write_some(std::string_view text);
  /// Writes without waiting, where that is possible; returns what write() would.
  [[nodiscard]] long write_now(std::string_view text) const;
  [[nodiscard]] bool signal_pending() const;
  /// Waits for the reader; returns whether it takes more now.
  [[nodiscard]] bool wait();

  int fd_;
  Kind kind_;
  int signals_ = -1;
  rt::Fd unblocking_;     ///< The same pipe, opened by ourselves: others' writes go on blocking.
  bool hurried_ = false;  ///< A signal came while the reader took nothing.
  std::string kept_;      ///< What was not written then.
  int error_ = 0;
};

}  // namespace muster::client
