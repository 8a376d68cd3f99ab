#include "testing/memory_channel.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

MemoryChannel::MemoryChannel(MemoryNetwork& network, std::shared_ptr<MemoryWire> wire, size_t end,
                             control::Peer peer, rt::Loop* loop)
    : network_(network),
      wire_(std::move(wire)),
      end_(end),
      number_(network.next_channel_++),
      peer_(std::move(peer)) {
  wire_->ends[end_].channel = this;
  wire_->ends[end_].loop = loop;
  wire_->ends[end_].opened = true;
  network_.channels_.emplace(number_, this);
  pump(network_, wire_, end_);
}

MemoryChannel::~MemoryChannel() {
  *alive_ = false;
  network_.channels_.erase(number_);
  wire_->ends[end_].channel = nullptr;
  wire_->ends[end_].loop = nullptr;
  close_far(network_, wire_, 1 - end_);
}

void MemoryChannel::close_far(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire,
                              size_t to) {
  if (!wire->broken) {
    wire->broken = true;
    push(network, wire, to, {nullptr, cluster_error("the other end closed the connection")});
  }
}

void MemoryChannel::start(Handlers handlers) {
  MUSTER_CHECK(!handlers_.has_value(), "a channel is started once");
  handlers_ = std::move(handlers);
  drain_early();
}

void MemoryChannel::drain_early() {
  if (early_.empty()) {
    return;
  }
  // In a later turn: neither frames nor the end arrive inside a call into the channel.
  rt::Loop* const own = wire_->ends[end_].loop;
  (own != nullptr ? *own : network_.loop_).post([this, alive = alive_] {
    if (!*alive || early_.empty()) {
      return;
    }
    const MemoryWire::Item item = std::move(early_.front());
    early_.pop_front();
    drain_early();
    dispatch(item);
  });
}

void MemoryChannel::send(std::string frame) {
  send_shared(std::make_shared<const std::string>(std::move(frame)));
}

void MemoryChannel::send_shared(std::shared_ptr<const std::string> frame) {
  MUSTER_CHECK(frame->size() <= control::kFrameMax, "a frame is within bounds");
  const bool dying = network_.lets_send && !network_.lets_send(name());
  if (!wire_->broken && !dying) {
    push(network_, wire_, 1 - end_, {std::move(frame), {}});
  }
}

size_t MemoryChannel::queued_bytes() const { return wire_->ends[1 - end_].incoming_bytes; }

void MemoryChannel::close() {
  if (wire_->broken) {
    return;
  }
  wire_->broken = true;
  push(network_, wire_, 1 - end_, {nullptr, cluster_error("the connection was closed")});
  // Nothing more arrives, and no partition keeps this end from learning of its own end.
  MemoryWire::End& own = wire_->ends[end_];
  own.incoming.clear();
  own.incoming_bytes = 0;
  early_.clear();
  MemoryWire::Item last{nullptr, cluster_error("this end closed", Errc::Cancelled)};
  rt::Loop& loop = own.loop != nullptr ? *own.loop : network_.loop_;
  loop.post([wire = wire_, end = end_, last = std::move(last)] { hand_over(wire, end, last); });
  closing_ = true;
}

void MemoryChannel::cut(const Error& reason) {
  if (wire_->broken) {
    return;
  }
  wire_->broken = true;
  push(network_, wire_, 0, {nullptr, reason});
  push(network_, wire_, 1, {nullptr, reason});
}

void MemoryChannel::lose() {
  for (MemoryWire::End& end : wire_->ends) {
    std::erase_if(end.incoming, [](const MemoryWire::Item& item) { return item.frame != nullptr; });
    end.incoming_bytes = 0;
  }
}

void MemoryChannel::resume() {
  pump(network_, wire_, 0);
  pump(network_, wire_, 1);
}

void MemoryChannel::push(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire, size_t to,
                         MemoryWire::Item item) {
  wire->ends[to].incoming_bytes += item.frame ? item.frame->size() : 0;
  wire->ends[to].incoming.push_back(std::move(item));
  pump(network, wire, to);
}

void MemoryChannel::pump(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire,
                         size_t to) {
  MemoryWire::End& end = wire->ends[to];
  const MemoryWire::End& from = wire->ends[1 - to];
  const bool ready = end.opened && !end.scheduled && !end.incoming.empty();
  if (!ready || network.is_blocked(from.name, end.name)) {
    return;
  }
  end.scheduled = true;
  end.last = std::max(end.last, network.loop_.now() + network.delay(from.name, end.name));
  network.loop_.call_at(end.last, [&network, wire, to] { deliver(network, wire, to); });
}

void MemoryChannel::deliver(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire,
                            size_t to) {
  MemoryWire::End& end = wire->ends[to];
  end.scheduled = false;
  if (network.is_blocked(wire->ends[1 - to].name, end.name) || end.incoming.empty()) {
    return;
  }
  MemoryWire::Item item = std::move(end.incoming.front());
  end.incoming.pop_front();
  end.incoming_bytes -= item.frame ? item.frame->size() : 0;
  pump(network, wire, to);
  if (end.loop == nullptr) {
    hand_over(wire, to, item);
    return;
  }
  end.loop->post([wire, to, item = std::move(item)] { hand_over(wire, to, item); });
}

void MemoryChannel::hand_over(const std::shared_ptr<MemoryWire>& wire, size_t to,
                              const MemoryWire::Item& item) {
  if (wire->ends[to].channel != nullptr) {
    wire->ends[to].channel->receive(item);
  }
}

void MemoryChannel::receive(const MemoryWire::Item& item) {
  if (closing_ && item.frame) {
    return;
  }
  if (!handlers_ || !early_.empty()) {
    early_.push_back(item);
    return;
  }
  dispatch(item);
}

void MemoryChannel::dispatch(const MemoryWire::Item& item) {
  // The callbacks may destroy this channel, and with it themselves.
  if (item.frame) {
    const auto callback = handlers_->frame;
    if (callback) {
      callback(*item.frame);
    }
    return;
  }
  const auto callback = handlers_->closed;
  if (callback) {
    callback(item.reason);
  }
}

}  // namespace muster::testing
