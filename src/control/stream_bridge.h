#pragma once

#include "base/result.h"
#include "net/stream.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace muster::control {

/// One end of a stream that carries a connection's bytes: passes them on both ways, each way until
/// it has ended, and never more than the other end has given credit for. Lives on its loop's
/// thread; destroying it closes the connection, as broken unless everything has been written: what
/// is cut off must not look whole.
class StreamBridge {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame::Kind)> send;
    /// Both ways are over, or the connection is. Called once, from the event loop; may destroy the
    /// bridge.
    std::function<void()> ended;
  };

  /// Begins at once: the stream is open at both ends. `preface`, which is not part of the stream,
  /// is written first.
  StreamBridge(rt::Loop& loop, std::unique_ptr<net::Stream> connection, Handlers handlers,
               wire::StreamWindows windows = {}, std::string preface = {});
  ~StreamBridge();
  StreamBridge(const StreamBridge&) = delete;
  StreamBridge& operator=(const StreamBridge&) = delete;

  /// Takes what the other end says: data, credit, its close. Corrupt if it breaks the protocol.
  [[nodiscard]] Status take(wire::StreamFrame::Kind kind);
  /// The stream is over. What arrived before a close is still written; otherwise the connection
  /// breaks. Sends nothing.
  void reset();

 private:
  rt::Async<> read();
  rt::Async<> write();
  [[nodiscard]] rt::Async<bool> write_one(std::string bytes);
  void consumed(size_t bytes);
  void break_off(const Error& error);
  void end();

  rt::Loop& loop_;
  std::unique_ptr<net::Stream> connection_;
  Handlers handlers_;
  std::string preface_;
  wire::StreamLedger ledger_;
  rt::Event credit_;
  rt::Event arrived_;
  std::deque<std::string> unwritten_;  ///< At most a window.
  bool silent_ = false;                ///< The stream is over: nothing is sent.
  bool input_closed_ = false;          ///< The other end sends no more.
  bool read_all_ = false;
  bool written_all_ = false;
  rt::Running ending_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::control
