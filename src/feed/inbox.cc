#include "feed/inbox.h"

#include <utility>

namespace muster::feed {

Result<std::unique_ptr<Inbox>> Inbox::create(Order order, const std::string& folder) {
  MUSTER_TRY(auto doorbell, Doorbell::create(folder));
  return std::unique_ptr<Inbox>(new Inbox(order, folder, std::move(doorbell)));
}

Inbox::Inbox(Order order, std::string folder, std::shared_ptr<Doorbell> doorbell)
    : order_(order), folder_(std::move(folder)), doorbell_(std::move(doorbell)) {}

Inbox::~Inbox() { close(); }

Result<RingId> Inbox::add(RingShape shape) {
  std::unique_ptr<Consumer> consumer = take_used(shape);
  if (consumer == nullptr) {
    MUSTER_TRY(auto memory, RingMemory::create(shape, folder_));
    consumer = std::make_unique<Consumer>(std::move(memory));
  }
  const std::scoped_lock lock(mutex_);
  if (terminated_) {
    consumer->terminate();
  }
  rings_.emplace(++last_id_, std::move(consumer));
  return last_id_;
}

std::unique_ptr<Consumer> Inbox::take_used(RingShape shape) {
  const std::scoped_lock lock(mutex_);
  if (spare_ == nullptr || !spare_->reusable() || spare_->memory().shape() != shape) {
    return nullptr;
  }
  spare_->reopen();
  return std::exchange(spare_, nullptr);
}

int Inbox::ring_fd(RingId ring) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rings_.find(ring);
  return found == rings_.end() ? -1 : found->second->memory().fd();
}

bool Inbox::on_disk(RingId ring) const {
  const std::scoped_lock lock(mutex_);
  const auto found = rings_.find(ring);
  return found != rings_.end() && found->second->memory().on_disk();
}

void Inbox::producer_gone(RingId ring) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = rings_.find(ring);
    if (found == rings_.end()) {
      return;
    }
    RingMemory& memory = found->second->memory();
    memory.mark_gone(memory.header().producer_state);
  }
  feed::ring(doorbell_->bell());
}

Result<std::optional<Received>> Inbox::look() {
  const std::scoped_lock lock(mutex_);
  // From `next_` on, and around to it again.
  std::vector<RingId> order;
  for (auto it = rings_.lower_bound(next_); it != rings_.end(); ++it) {
    order.push_back(it->first);
  }
  for (auto it = rings_.begin(); it != rings_.lower_bound(next_); ++it) {
    order.push_back(it->first);
  }
  for (const RingId id : order) {
    if (current_ != 0 && id != current_) {
      continue;
    }
    Consumer& ring = *rings_.at(id);
    Result<std::optional<Taken>> taken = ring.take();
    if (!taken.has_value()) {
      return std::move(taken).error();
    }
    while (taken->has_value() && (*taken)->kind == RecordKind::Block &&
           (*taken)->lease == nullptr) {  // Thrown away: the inbox terminates.
      ring.set_consumed((*taken)->sequence);
      MUSTER_TRY(*taken, ring.take());
    }
    if (taken->has_value()) {
      const bool partition_goes_on = (*taken)->kind == RecordKind::Block;
      current_ = order_ == Order::ByPartition && partition_goes_on ? id : 0;
      next_ = id + 1;
      return Received{.ring = id, .taken = *std::move(*taken)};
    }
    if (ring.finished()) {
      if (ring.reusable()) {
        spare_ = std::move(rings_.at(id));
      }
      rings_.erase(id);
      current_ = current_ == id ? 0 : current_;
    }
  }
  if (ended_ && current_ == 0) {
    return Received{.ring = 0, .taken = {.kind = RecordKind::EndFeed}};
  }
  return std::optional<Received>();
}

Result<Received> Inbox::receive(Deadline deadline) {
  for (;;) {
    const uint32_t seen = arm(doorbell_->bell());
    MUSTER_TRY(auto received, look());
    if (received.has_value()) {
      return *std::move(received);
    }
    switch (wait(doorbell_->bell(), seen, deadline)) {
      case Woken::Maybe:
        break;
      case Woken::TimedOut:
        return Error{.code = Errc::DeadlineExceeded,
                     .blame = Blame::Program,
                     .message = "timed out waiting for rows"};
      case Woken::Interrupted:
        return Error{.code = Errc::Cancelled,
                     .blame = Blame::User,
                     .message = "interrupted while waiting for rows"};
    }
  }
}

void Inbox::set_consumed(RingId ring, uint64_t sequence) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = rings_.find(ring); found != rings_.end()) {
    found->second->set_consumed(sequence);
  }
}

void Inbox::end() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  feed::ring(doorbell_->bell());
}

void Inbox::terminate() {
  {
    const std::scoped_lock lock(mutex_);
    terminated_ = true;
    for (const auto& [id, ring] : rings_) {
      ring->terminate();
    }
  }
  feed::ring(doorbell_->bell());
}

bool Inbox::terminated() const {
  const std::scoped_lock lock(mutex_);
  return terminated_;
}

void Inbox::close() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, ring] : rings_) {
    ring->close();
  }
  spare_ = nullptr;
}

}  // namespace muster::feed
