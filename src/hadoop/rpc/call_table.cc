#include "hadoop/rpc/call_table.h"

#include <fmt/format.h>

namespace muster::hadoop::rpc {
namespace {

/// An id that no call has: the frame is not a call (context, ping).
constexpr int32_t kNoCall = -2;

}  // namespace

CallTable::Entry::~Entry() {
  if (table_ != nullptr) {
    table_->forget(id_);
  }
}

CallTable::Entry CallTable::add(Outgoing call, bool& sent, Answer answer) {
  const int32_t id = call.id;
  pending_.insert_or_assign(
      id, Pending{.waiting = {.answer = std::move(answer), .method = call.method}, .sent = &sent});
  queue_.push_back(std::move(call));
  last_used_ = loop_.now();
  work_.pulse();
  return {*this, id};
}

void CallTable::add_frame(std::string frame) {
  queue_.push_back({.id = kNoCall, .frame = std::move(frame), .method = {}});
  work_.pulse();
}

void CallTable::add_first(std::string frame) {
  queue_.push_front({.id = kNoCall, .frame = std::move(frame), .method = {}});
  work_.pulse();
}

rt::Async<std::string> CallTable::take_frames() {
  while (queue_.empty()) {
    co_await work_.wait();
  }
  std::string bytes;
  for (const Outgoing& waiting : std::exchange(queue_, {})) {
    bytes += waiting.frame;
    if (const auto call = pending_.find(waiting.id); call != pending_.end()) {
      *call->second.sent = true;
    }
  }
  co_return bytes;
}

Result<std::optional<CallTable::Waiting>> CallTable::take(int32_t id) {
  auto found = pending_.extract(id);
  if (!found.empty()) {
    return std::optional(std::move(found.mapped().waiting));
  }
  if (abandoned_.erase(id) != 0) {
    return std::optional<Waiting>();
  }
  return cluster_error(fmt::format("a response to call {} arrived, which was never made", id),
                       Errc::Corrupt);
}

void CallTable::fail(const Failure& failure) {
  queue_.clear();
  for (const auto& [id, call] : std::exchange(pending_, {})) {
    Failure own = failure;
    own.may_be_done = *call.sent;
    call.waiting.answer(std::move(own));
  }
}

void CallTable::forget(int32_t id) {
  last_used_ = loop_.now();
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    return;  // Answered.
  }
  if (*found->second.sent) {
    abandoned_.insert(id);
  }
  pending_.erase(found);
  std::erase_if(queue_, [id](const Outgoing& waiting) { return waiting.id == id; });
}

}  // namespace muster::hadoop::rpc
