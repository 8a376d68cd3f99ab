#include "control/relayed_stream.h"

#include "base/overloaded.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

namespace muster::control {
namespace {

Error broken(const std::string& why) { return cluster_error(why, Errc::Unavailable); }

}  // namespace

void RelayedBytes::take(wire::StreamFrame::Kind kind) {
  const Status kept =
      std::visit(Overloaded{
                     [&](const wire::StreamWaits&) { return Status(); },
                     [&](const wire::StreamOpened&) {
                       opened_ = true;
                       return Status();
                     },
                     [&](wire::StreamData& data) {
                       const Status kept = ledger_.received(data);
                       unread_.push_back(std::move(data.bytes));
                       return kept;
                     },
                     [&](const wire::StreamCredit& credit) { return ledger_.received(credit); },
                     [&](const wire::StreamClosed& closed) {
                       ended_ = true;
                       return ledger_.received(closed);
                     },
                     [&](const wire::StreamReset& reset) {
                       break_off(reset.reason);
                       return Status();
                     },
                     [](const OneOf<wire::StreamOpen, wire::StreamOffer, wire::StreamDeclined,
                                    wire::StreamTaken> auto&) {
                       return Status(bug("a frame that an open stream does not take"));
                     },
                 },
                 kind);
  if (!kept.has_value() && broken_.empty()) {
    send_(wire::StreamReset{wire::StreamFault::Protocol, kept.error().message});
    break_off(kept.error().message);
  }
  changed_.pulse();
}

void RelayedBytes::break_off(std::string why) {
  broken_ = why.empty() ? "the stream has ended" : std::move(why);
  changed_.pulse();
}

RelayedStream::RelayedStream(std::shared_ptr<RelayedBytes> bytes, std::string peer,
                             std::function<void()> gone)
    : bytes_(std::move(bytes)), peer_(std::move(peer)), gone_(std::move(gone)) {}

RelayedStream::~RelayedStream() {
  if (bytes_->broken_.empty() && !(bytes_->ended_ && bytes_->closed_)) {
    bytes_->send_(wire::StreamReset{wire::StreamFault::Cancelled, "nobody reads it any more"});
  }
  gone_();
}

rt::Async<Status> RelayedStream::opened() {
  while (!bytes_->opened_ && bytes_->broken_.empty()) {
    co_await bytes_->changed_.wait();
  }
  co_return bytes_->opened_ ? Status() : Status(broken(bytes_->broken_));
}

rt::Async<Result<size_t>> RelayedStream::read_some(std::span<uint8_t> buffer) {
  RelayedBytes& bytes = *bytes_;
  while (bytes.unread_.empty() && !bytes.ended_ && bytes.broken_.empty()) {
    co_await bytes.changed_.wait();
  }
  if (bytes.unread_.empty()) {
    co_return bytes.ended_ ? Result<size_t>(size_t{0}) : Result<size_t>(broken(bytes.broken_));
  }
  const std::string& first = bytes.unread_.front();
  const size_t size = std::min(buffer.size(), first.size() - bytes.read_);
  std::memcpy(buffer.data(), first.data() + bytes.read_, size);
  bytes.read_ += size;
  if (bytes.read_ == first.size()) {
    bytes.unread_.pop_front();
    bytes.read_ = 0;
  }
  const uint64_t credit = bytes.ledger_.consumed(size);
  if (credit > 0 && bytes.broken_.empty()) {
    bytes.send_(wire::StreamCredit{credit});
  }
  co_return size;
}

rt::Async<Status> RelayedStream::write_one(std::span<const uint8_t> part) {
  RelayedBytes& bytes = *bytes_;
  while (!part.empty()) {
    while (bytes.ledger_.sendable() == 0 && bytes.broken_.empty() && !bytes.closed_) {
      co_await bytes.changed_.wait();
    }
    if (!bytes.broken_.empty() || bytes.closed_) {
      co_return broken(bytes.closed_ ? "written after the close" : bytes.broken_);
    }
    const size_t size = std::min({part.size(), bytes.ledger_.sendable(), wire::kStreamDataMax});
    bytes.ledger_.sent(size);
    bytes.send_(wire::StreamData{std::string(reinterpret_cast<const char*>(part.data()), size)});
    part = part.subspan(size);
  }
  co_return Status();
}

rt::Async<Status> RelayedStream::write_parts(std::span<const std::span<const uint8_t>> parts) {
  for (const std::span<const uint8_t> part : parts) {
    auto written = co_await write_one(part);
    MUSTER_CO_TRY_STATUS(std::move(written));
  }
  co_return Status();
}

void RelayedStream::close_write() {
  if (!std::exchange(bytes_->closed_, true) && bytes_->broken_.empty()) {
    bytes_->ledger_.close();
    bytes_->send_(wire::StreamClosed{});
  }
}

}  // namespace muster::control
