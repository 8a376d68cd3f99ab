#include "base/check.h"
#include "feed/ring.h"
#include "feed/waiting.h"

#include <fmt/format.h>

#include <cstring>

namespace muster::feed {
namespace {

/// No row is larger; one that claims to be is damaged.
constexpr size_t kMostAssembled = 1ULL << 33U;

}  // namespace

Consumer::Consumer(std::shared_ptr<RingMemory> memory)
    : memory_(std::move(memory)), taken_(memory_->header().taken.load(std::memory_order_acquire)) {}

bool Consumer::ready() const {
  return memory_->header().published.load(std::memory_order_seq_cst) != taken_;
}

PeerState Consumer::producer_state() const {
  return static_cast<PeerState>(memory_->header().producer_state.load(std::memory_order_acquire));
}

bool Consumer::finished() const {
  // The state first: what was published before the end is seen after it.
  const PeerState producer = producer_state();
  return producer != PeerState::Open && !ready();
}

bool Consumer::reusable() const {
  return producer_state() == PeerState::Closed && !ready() && partition_ended_ &&
         memory_->leased() * 4 <= memory_->shape().block_count;
}

void Consumer::reopen() {
  MUSTER_CHECK(reusable(), "a producer may still be writing into the ring");
  partition_ended_ = false;
  memory_->header().consumed.store(taken_, std::memory_order_release);
  memory_->header().producer_state.store(static_cast<uint32_t>(PeerState::Open),
                                         std::memory_order_release);
}

bool Consumer::may_lease() const {
  return (memory_->leased() + 1) * 2 <= memory_->shape().block_count;
}

Error Consumer::corrupt(const Record& record, const char* what) {
  memory_->mark_gone(memory_->header().producer_state);
  return {.code = Errc::Corrupt,
          .blame = Blame::Muster,
          .message = fmt::format("damaged feed record {}: {}", record.sequence, what)};
}

Result<std::optional<Taken>> Consumer::take() {
  while (ready()) {
    const Record record = memory_->slot(taken_);  // Once: the peer could write it again.
    if (record.sequence != taken_ + 1) {
      return corrupt(record, "its sequence number is out of order");
    }
    if (record.kind == RecordKind::EndPartition || record.kind == RecordKind::EndFeed) {
      if (parts_bytes_ != 0) {
        return corrupt(record, "a row is incomplete");
      }
      ++taken_;
      partition_ended_ = true;
      memory_->header().taken.store(taken_, std::memory_order_release);
      ring(memory_->header().producer_bell);
      return Taken{.kind = record.kind,
                   .sequence = record.sequence,
                   .rows = 0,
                   .first_row = record.first_row,
                   .lease = nullptr};
    }
    partition_ended_ = false;
    MUSTER_TRY(auto block, take_block(record));
    if (block.has_value()) {
      return block;
    }
  }
  return std::optional<Taken>();
}

Result<std::optional<Taken>> Consumer::take_block(const Record& record) {
  const bool part = record.kind == RecordKind::Part;
  if (!part && record.kind != RecordKind::Block) {
    return corrupt(record, "it is of an unknown kind");
  }
  const RingShape& shape = memory_->shape();
  if (record.block >= shape.block_count || record.bytes > shape.block_bytes) {
    return corrupt(record, "it names a block that does not exist");
  }
  Taken taken{.kind = RecordKind::Block,
              .sequence = record.sequence,
              .rows = record.rows,
              .first_row = record.first_row,
              .lease = nullptr};
  const bool terminating = memory_->header().consumer_state.load(std::memory_order_relaxed) ==
                           static_cast<uint32_t>(PeerState::Terminating);
  const std::span<const std::byte> bytes = memory_->block(record.block).first(record.bytes);
  if (terminating) {
    memory_->release(record.block);
  } else if (!part && parts_bytes_ == 0 && may_lease()) {
    taken.lease = std::make_shared<const Lease>(memory_, record.block, record.bytes);
  } else {
    if (parts_bytes_ + bytes.size() > kMostAssembled) {
      return corrupt(record, "a row is larger than 8 GiB");
    }
    if (parts_bytes_ + bytes.size() > parts_capacity_) {
      parts_capacity_ = part ? (parts_bytes_ + bytes.size()) * 2 : parts_bytes_ + bytes.size();
      auto larger = std::make_unique_for_overwrite<std::byte[]>(parts_capacity_);
      if (parts_bytes_ != 0) {
        std::memcpy(larger.get(), parts_.get(), parts_bytes_);
      }
      parts_ = std::move(larger);
    }
    std::memcpy(parts_.get() + parts_bytes_, bytes.data(), bytes.size());
    parts_bytes_ += bytes.size();
    memory_->release(record.block);
    if (!part) {
      taken.lease = std::make_shared<const Lease>(std::move(parts_), parts_bytes_);
      parts_capacity_ = 0;
    }
  }
  if (!part) {
    parts_bytes_ = 0;
  }
  ++taken_;
  memory_->header().taken.store(taken_, std::memory_order_release);
  ring(memory_->header().producer_bell);
  return part ? std::optional<Taken>() : std::optional<Taken>(std::move(taken));
}

void Consumer::set_consumed(uint64_t sequence) {
  memory_->header().consumed.store(sequence, std::memory_order_release);
  ring(memory_->header().producer_bell);
}

void Consumer::terminate() {
  uint32_t open = static_cast<uint32_t>(PeerState::Open);
  memory_->header().consumer_state.compare_exchange_strong(
      open, static_cast<uint32_t>(PeerState::Terminating));
  ring(memory_->header().producer_bell);
}

void Consumer::close() {
  memory_->header().consumer_state.store(static_cast<uint32_t>(PeerState::Closed),
                                         std::memory_order_release);
  ring(memory_->header().producer_bell);
}

}  // namespace muster::feed
