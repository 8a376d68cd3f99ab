#include "master/clients/client_output.h"

#include <optional>
#include <utility>

namespace muster::master {
namespace {

/// Output is left out while more than this is queued for one client.
constexpr size_t kOutputBytesMax = 512U << 10;
/// By then agents have sent their last lines, if they do at all.
constexpr Duration kLastLinesLatest = std::chrono::seconds(1);

}  // namespace

ClientOutput::ClientOutput(rt::Loop& loop, control::Channel& channel)
    : loop_(loop), channel_(channel) {}

ClientOutput::~ClientOutput() { loop_.cancel(first_timer_); }

bool ClientOutput::begin() {
  if (std::exchange(begun_, true)) {
    return false;
  }
  first_timer_ = loop_.call_after(kLastLinesLatest, [this] { send_waiting(); });
  return true;
}

void ClientOutput::add(const wire::Output& piece) {
  if (!begun_) {
    return;
  }
  if (!first_.waits()) {
    return send(piece);
  }
  for (const wire::Output& ready : first_.take(piece)) {
    send(ready);
  }
}

void ClientOutput::finish() {
  send_waiting();
  for (wire::Output& left_out : gate_.rest()) {
    channel_.send_parts(wire::encode_parts(wire::ClientEvent{std::move(left_out)}));
  }
  loop_.cancel(first_timer_);
}

void ClientOutput::send_waiting() {
  for (const wire::Output& ready : first_.give_up()) {
    send(ready);
  }
}

void ClientOutput::send(const wire::Output& piece) {
  if (std::optional<wire::Output> passed =
          gate_.pass(piece, channel_.queued_bytes() > kOutputBytesMax)) {
    channel_.send_parts(wire::encode_parts(wire::ClientEvent{std::move(*passed)}));
  }
}

}  // namespace muster::master
