#include "base/check.h"
#include "feed/ring.h"
#include "feed/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace muster::feed {
namespace {

Error consumer_gone() {
  return {.code = Errc::Unavailable,
          .blame = Blame::Program,
          .message = "the program that reads the feed has ended"};
}

/// Copies `target.size()` bytes of the pieces, taken as one sequence, starting at `from`.
void copy_range(Producer::Pieces pieces, uint64_t from, std::span<std::byte> target) {
  for (const std::span<const std::byte> piece : pieces) {
    if (target.empty()) {
      return;
    }
    if (from >= piece.size()) {
      from -= piece.size();
      continue;
    }
    const size_t count = std::min<size_t>(piece.size() - from, target.size());
    std::memcpy(target.data(), piece.data() + from, count);
    target = target.subspan(count);
    from = 0;
  }
}

}  // namespace

Producer::Producer(std::shared_ptr<RingMemory> memory, std::shared_ptr<Doorbell> doorbell)
    : memory_(std::move(memory)),
      doorbell_(std::move(doorbell)),
      published_(memory_->header().published.load(std::memory_order_acquire)) {}

PeerState Producer::consumer_state() const {
  return static_cast<PeerState>(memory_->header().consumer_state.load(std::memory_order_acquire));
}

Status Producer::consumer_there() const {
  const PeerState peer = consumer_state();
  if (peer == PeerState::Gone || peer == PeerState::Closed) {
    return consumer_gone();
  }
  return {};
}

template <class Ready>
Status Producer::wait_until(Ready ready, Deadline deadline, const char* what) {
  Bell& bell = memory_->header().producer_bell;
  for (;;) {
    const uint32_t seen = arm(bell);
    if (ready()) {
      return {};
    }
    MUSTER_TRY_STATUS(consumer_there());
    switch (wait(bell, seen, deadline)) {
      case Woken::Maybe:
        break;
      case Woken::TimedOut:
        return Error{.code = Errc::DeadlineExceeded,
                     .blame = Blame::Program,
                     .message = fmt::format("timed out waiting for {}", what)};
      case Woken::Interrupted:
        return Error{.code = Errc::Cancelled,
                     .blame = Blame::User,
                     .message = fmt::format("interrupted while waiting for {}", what)};
    }
  }
}

Result<uint32_t> Producer::free_block(Deadline deadline) {
  if (reserved_ != kNoBlock) {
    return std::exchange(reserved_, kNoBlock);
  }
  std::atomic<uint64_t>& free = memory_->header().free_blocks;
  const uint32_t count = memory_->shape().block_count;
  const uint64_t known = count == kMaxBlocks ? ~0ULL : (1ULL << count) - 1;
  uint64_t mask = free.load(std::memory_order_acquire) & known;
  if (mask == 0) {
    MUSTER_TRY_STATUS(wait_until(
        [&] {
          mask = free.load(std::memory_order_acquire) & known;
          return mask != 0;
        },
        deadline, "the program to read what it was fed"));
  }
  // Only this side takes bits away. The lowest first: the block that was read last is most likely
  // still in the cache.
  const auto block = static_cast<uint32_t>(std::countr_zero(mask));
  free.fetch_and(~(1ULL << block), std::memory_order_acq_rel);
  return block;
}

Status Producer::free_slot(Deadline deadline) {
  std::atomic<uint64_t>& taken = memory_->header().taken;
  const auto has_slot = [&] {
    return published_ - taken.load(std::memory_order_acquire) < memory_->queue_slots();
  };
  if (has_slot()) {
    return {};
  }
  return wait_until(has_slot, deadline, "the program to read what it was fed");
}

void Producer::publish(Record record) {
  record.sequence = published_ + 1;
  record.first_row = rows_;
  memory_->slot(published_) = record;
  ++published_;
  rows_ += record.rows;
  memory_->header().published.store(published_, std::memory_order_seq_cst);
  ring(doorbell_->bell());
}

Status Producer::put(Pieces pieces, uint64_t rows, Deadline deadline) {
  uint64_t total = 0;
  for (const std::span<const std::byte> piece : pieces) {
    total += piece.size();
  }
  const uint64_t room = memory_->shape().block_bytes;
  // Before the loop, too: what an earlier put left unfinished may already cover all of this one.
  MUSTER_TRY_STATUS(consumer_there());
  while (put_so_far_ < total) {
    MUSTER_TRY_STATUS(consumer_there());
    MUSTER_TRY_STATUS(free_slot(deadline));
    MUSTER_TRY(const uint32_t block, free_block(deadline));
    const uint64_t part = std::min(room, total - put_so_far_);
    if (part > room / 2) {
      memory_->map_for_writing(block);
    }
    copy_range(pieces, put_so_far_, memory_->block(block).first(part));
    put_so_far_ += part;
    const bool last = put_so_far_ == total;
    publish({.sequence = 0,
             .kind = last ? RecordKind::Block : RecordKind::Part,
             .block = block,
             .bytes = part,
             .rows = last ? rows : 0,
             .first_row = 0});
  }
  put_so_far_ = 0;
  return {};
}

Result<std::span<std::byte>> Producer::reserve(Deadline deadline) {
  MUSTER_TRY_STATUS(consumer_there());
  MUSTER_TRY(reserved_, free_block(deadline));
  memory_->map_for_writing(reserved_);
  return memory_->block(reserved_);
}

Status Producer::publish_reserved(size_t bytes, uint64_t rows, Deadline deadline) {
  MUSTER_CHECK(reserved_ != kNoBlock && bytes <= memory_->shape().block_bytes,
               "the published block must have been reserved and hold these bytes");
  MUSTER_TRY_STATUS(consumer_there());
  MUSTER_TRY_STATUS(free_slot(deadline));
  publish({.sequence = 0,
           .kind = RecordKind::Block,
           .block = std::exchange(reserved_, kNoBlock),
           .bytes = bytes,
           .rows = rows,
           .first_row = 0});
  return {};
}

Status Producer::mark(RecordKind kind, Deadline deadline) {
  MUSTER_TRY_STATUS(free_slot(deadline));
  publish({.sequence = 0, .kind = kind, .block = kNoBlock, .bytes = 0, .rows = 0, .first_row = 0});
  return {};
}

Status Producer::wait_consumed(Deadline deadline) {
  const std::atomic<uint64_t>& consumed = memory_->header().consumed;
  const auto done = [&] { return consumed.load(std::memory_order_acquire) >= published_; };
  if (done()) {
    return {};
  }
  return wait_until(done, deadline, "the program to consume what it was fed");
}

void Producer::close() {
  if (reserved_ != kNoBlock) {
    // Only this side waits for free blocks: there is no waiter to wake.
    memory_->header().free_blocks.fetch_or(1ULL << std::exchange(reserved_, kNoBlock),
                                           std::memory_order_seq_cst);
  }
  uint32_t open = static_cast<uint32_t>(PeerState::Open);
  memory_->header().producer_state.compare_exchange_strong(
      open, static_cast<uint32_t>(PeerState::Closed));
  ring(doorbell_->bell());
}

}  // namespace muster::feed
