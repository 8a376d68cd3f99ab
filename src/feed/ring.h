#pragma once

#include "base/result.h"
#include "feed/layout.h"
#include "feed/segment.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace muster::feed {

using Deadline = std::chrono::steady_clock::time_point;

/// How large a ring is. Memory: block_count * block_bytes and a few pages.
struct RingShape {
  uint32_t block_count = 16;         ///< 2..64
  uint64_t block_bytes = 1U << 20U;  ///< 4 KiB..1 GiB, a multiple of 64.
  bool operator==(const RingShape&) const = default;
};

/// What a wait of the feed ended with, where it did not end with success.
/// Errc::DeadlineExceeded, Errc::Cancelled (a signal came: run handlers, call again),
/// Errc::Unavailable (the peer is gone: final). All calls of this header use these.

/// The shared memory of one ring and of its consumer's bell, as one side sees them. The geometry
/// is checked once and kept here: what the peer writes into the header later is not trusted.
class RingMemory {
 public:
  /// The consumer makes the memory; `folder` holds it if the kernel has no memfd. InvalidArgument
  /// for an impossible shape, OutOfSpace if it cannot be reserved.
  [[nodiscard]] static Result<std::shared_ptr<RingMemory>> create(RingShape shape,
                                                                  const std::string& folder);
  /// The producer gets it as a descriptor, of which it takes ownership. Corrupt if it is not a
  /// ring.
  [[nodiscard]] static Result<std::shared_ptr<RingMemory>> adopt(int fd);

  [[nodiscard]] RingHeader& header() const {
    return *reinterpret_cast<RingHeader*>(segment_.data());
  }
  [[nodiscard]] Record& slot(uint64_t number) const {
    auto* queue = reinterpret_cast<Record*>(segment_.data() + kQueueOffset);
    return queue[number % queue_slots_];
  }
  [[nodiscard]] std::span<std::byte> block(uint32_t index) const {
    return {segment_.data() + blocks_offset_ + index * shape_.block_bytes, shape_.block_bytes};
  }
  [[nodiscard]] const RingShape& shape() const { return shape_; }
  [[nodiscard]] uint32_t queue_slots() const { return queue_slots_; }
  [[nodiscard]] int fd() const { return segment_.fd(); }
  [[nodiscard]] bool on_disk() const { return segment_.on_disk(); }
  /// Returns how many blocks the consumer holds on lease. Consumer side only.
  [[nodiscard]] uint32_t leased() const { return leased_.load(std::memory_order_relaxed); }
  /// Records that one more block is on lease. Consumer side only.
  void lease() const { leased_.fetch_add(1, std::memory_order_relaxed); }
  /// Its lease has ended: gives the block back. Any thread of the consumer.
  void end_lease(uint32_t block) const;
  /// Makes the kernel map a block that is written for the first time at once, not page by page.
  void map_for_writing(uint32_t block) const;
  /// Gives a block back and wakes the producer. Any thread of the consumer.
  void release(uint32_t block) const;
  /// Records permanently that the other side is gone, and wakes both sides. Any thread, either
  /// side, any number of times; only the first counts, and an orderly end stays what it was.
  void mark_gone(std::atomic<uint32_t>& state) const;

 private:
  RingMemory(Segment segment, RingShape shape, uint32_t queue_slots);

  Segment segment_;
  RingShape shape_;
  uint32_t queue_slots_;
  size_t blocks_offset_;
  mutable std::atomic<uint32_t> leased_ = 0;
  mutable uint64_t mapped_ = 0;  ///< One bit for each block; the producer's.
};

/// The doorbell of one consumer: rung by all producers that feed it, so that it can wait for many
/// rings at once. A page of shared memory.
class Doorbell {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Doorbell>> create(const std::string& folder);
  [[nodiscard]] static Result<std::shared_ptr<Doorbell>> adopt(int fd);
  [[nodiscard]] Bell& bell() const { return *reinterpret_cast<Bell*>(segment_.data()); }
  [[nodiscard]] int fd() const { return segment_.fd(); }

 private:
  explicit Doorbell(Segment segment) : segment_(std::move(segment)) {}
  Segment segment_;
};

/// The writing end. One thread at a time.
class Producer {
 public:
  Producer(std::shared_ptr<RingMemory> memory, std::shared_ptr<Doorbell> doorbell);

  /// Bytes to be concatenated.
  using Pieces = std::span<const std::span<const std::byte>>;

  /// Publishes `rows` rows encoded as `pieces` (BlockPlan), copying them into as many blocks as
  /// they need; waits for free ones until `deadline`. What is published before an error stays so:
  /// after DeadlineExceeded or Cancelled call again with the same pieces, which continues.
  [[nodiscard]] Status put(Pieces pieces, uint64_t rows, Deadline deadline);
  /// The same with one piece.
  [[nodiscard]] Status put(std::span<const std::byte> bytes, uint64_t rows, Deadline deadline) {
    return put(Pieces(&bytes, 1), rows, deadline);
  }
  /// Returns a free block, to be filled in place; waits for one until `deadline`. Returns the same
  /// one until it is published, or used by a put().
  [[nodiscard]] Result<std::span<std::byte>> reserve(Deadline deadline);
  /// Publishes the first `bytes` of the reserved block. Waits for a slot; call again after an
  /// error.
  [[nodiscard]] Status publish_reserved(size_t bytes, uint64_t rows, Deadline deadline);
  /// Marks the end of a partition or of all data. Waits for a slot.
  [[nodiscard]] Status mark(RecordKind kind, Deadline deadline);
  /// Waits until all rows published so far have been handed out to the reading program.
  [[nodiscard]] Status wait_consumed(Deadline deadline);

  /// Records published so far: the sequence of the last one.
  [[nodiscard]] uint64_t published() const { return published_; }
  [[nodiscard]] PeerState consumer_state() const;
  /// Tells the consumer that nothing more follows, and gives a reserved block back. If it is not
  /// called before the process ends, the ring stays Open, and whoever sees the end marks it gone.
  void close();
  [[nodiscard]] RingMemory& memory() const { return *memory_; }

 private:
  [[nodiscard]] Status consumer_there() const;
  [[nodiscard]] Result<uint32_t> free_block(Deadline deadline);
  [[nodiscard]] Status free_slot(Deadline deadline);
  void publish(Record record);
  template <class Ready>
  [[nodiscard]] Status wait_until(Ready ready, Deadline deadline, const char* what);

  std::shared_ptr<RingMemory> memory_;
  std::shared_ptr<Doorbell> doorbell_;
  uint64_t published_ = 0;
  uint64_t rows_ = 0;
  uint32_t reserved_ = kNoBlock;
  uint64_t put_so_far_ = 0;  ///< Bytes of the present put that are in the ring already.
};

/// The memory of one block as a reader holds it. While any copy of the pointer lives, its bytes
/// stay as they are; when the last one goes, the block returns to the producer.
class Lease {
 public:
  /// For a block in the ring.
  Lease(std::shared_ptr<RingMemory> memory, uint32_t block, size_t bytes);
  /// For a private copy.
  explicit Lease(std::unique_ptr<std::byte[]> copy, size_t bytes);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] bool is_copy() const { return copy_ != nullptr; }

 private:
  std::shared_ptr<RingMemory> memory_;
  uint32_t block_ = kNoBlock;
  std::unique_ptr<std::byte[]> copy_;
  std::span<const std::byte> bytes_;
};

/// One thing read from a ring.
struct Taken {
  RecordKind kind = RecordKind::Block;  ///< Never Part.
  uint64_t sequence = 0;
  uint64_t rows = 0;
  uint64_t first_row = 0;
  std::shared_ptr<const Lease> lease;  ///< Of a Block.
};

/// The reading end. One thread at a time; leases may end on any.
class Consumer {
 public:
  explicit Consumer(std::shared_ptr<RingMemory> memory);

  /// Returns the next record, or nothing if none is available now. Corrupt if the producer wrote
  /// nonsense; the ring is then gone for both. When more than half of the ring's blocks are on
  /// lease, rows are handed out as a copy, so that a program that keeps its batches cannot stall
  /// the feed.
  [[nodiscard]] Result<std::optional<Taken>> take();
  /// Returns whether take() would return something.
  [[nodiscard]] bool ready() const;
  /// Records that all rows of the records up to `sequence` were handed out to the program.
  void set_consumed(uint64_t sequence);
  /// From now on rows are discarded on arrival; producers are told.
  void terminate();
  void close();
  /// Returns whether the producer has ended, in order or not, and everything it published was
  /// taken.
  [[nodiscard]] bool finished() const;
  /// Returns whether it finished in order: it closed after the end of a partition, so that it never
  /// writes again. The memory can serve another producer if enough of it is not on lease.
  [[nodiscard]] bool reusable() const;
  /// Lets another producer in; only if reusable(). Sequences continue, and what the last one fed
  /// counts as consumed.
  void reopen();
  [[nodiscard]] PeerState producer_state() const;
  [[nodiscard]] RingMemory& memory() const { return *memory_; }

 private:
  [[nodiscard]] Result<std::optional<Taken>> take_block(const Record& record);
  [[nodiscard]] Error corrupt(const Record& record, const char* what);
  /// Returns whether at most half of the blocks are on lease.
  [[nodiscard]] bool may_lease() const;

  std::shared_ptr<RingMemory> memory_;
  uint64_t taken_ = 0;
  std::unique_ptr<std::byte[]> parts_;  ///< Of a block that came in parts so far.
  size_t parts_bytes_ = 0;
  size_t parts_capacity_ = 0;
  bool partition_ended_ = false;  ///< The last record said so.
};

}  // namespace muster::feed
