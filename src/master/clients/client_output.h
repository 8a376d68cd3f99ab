#pragma once

#include "base/time.h"
#include "control/transport.h"
#include "master/clients/first_output.h"
#include "rt/loop.h"
#include "wire/frame.h"
#include "wire/output_gate.h"

namespace muster::master {

/// What one client gets of the tasks' output: the last lines first, nothing twice, and no more than
/// it reads; for what it is too slow for, only how much it was. Sends nothing before begin().
class ClientOutput {
 public:
  /// Both must outlive this.
  ClientOutput(rt::Loop& loop, control::Channel& channel);
  ~ClientOutput();
  ClientOutput(const ClientOutput&) = delete;
  ClientOutput& operator=(const ClientOutput&) = delete;

  /// Returns true the first time: the caller then adds what was missed.
  [[nodiscard]] bool begin();
  /// Adds a piece, in the order of arrival.
  void add(const wire::Output& piece);
  /// Sends everything it has kept back, since no piece follows.
  void finish();

 private:
  void send(const wire::Output& piece);
  void send_waiting();

  rt::Loop& loop_;
  control::Channel& channel_;
  FirstOutput first_;
  wire::OutputGate gate_;
  bool begun_ = false;
  rt::TimerId first_timer_;
};

}  // namespace muster::master
