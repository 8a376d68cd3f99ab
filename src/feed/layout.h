#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// What is in the shared memory of a feed. Both sides are the same library of the same job on one
/// host, so there is only one version; nevertheless, what a dying or faulty peer may have written
/// is checked, and every number is read only once.
namespace muster::feed {

inline constexpr size_t kLine = 64;
/// Returns what a buffer of that many bytes takes in a block, where each begins on a line.
[[nodiscard]] constexpr size_t padded(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
/// One bit each in one word says which blocks are free.
inline constexpr uint32_t kMaxBlocks = 64;
inline constexpr uint32_t kNoBlock = UINT32_MAX;

/// A word to wait on (a futex): its lowest bit says that somebody waits, the rest counts rings.
/// Both are in one word, so that no ring can clear the bit without changing what the waiter waits
/// on.
struct Bell {
  std::atomic<uint32_t> word;
};

enum class PeerState : uint32_t {
  Open = 0,
  /// The consumer reads no more and discards what comes; the producer counts its rows.
  Terminating = 1,
  /// Ended in order.
  Closed = 2,
  /// Died. Set by whichever side noticed it.
  Gone = 3,
};

enum class RecordKind : uint32_t {
  /// A block of rows, or the last part of one.
  Block = 1,
  /// A part of a block that is larger than a block of the ring; more follow.
  Part = 2,
  EndPartition = 3,
  EndFeed = 4,
};

/// One entry of the ring's queue.
struct alignas(kLine) Record {
  uint64_t sequence;  ///< From 1, without gaps.
  RecordKind kind;
  uint32_t block;      ///< Which block, or kNoBlock.
  uint64_t bytes;      ///< Used in the block.
  uint64_t rows;       ///< Of the whole block; on a Part 0.
  uint64_t first_row;  ///< Rows published before this record, all partitions together.
};
static_assert(sizeof(Record) == kLine);

/// The first page of a ring. The queue of records follows at kQueueOffset, the blocks after it.
struct RingHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t block_count;
  uint64_t block_bytes;
  uint32_t queue_slots;
  uint32_t unused;

  alignas(kLine) std::atomic<uint64_t> published;  ///< Records published. Producer's.
  std::atomic<uint32_t> producer_state;

  alignas(kLine) std::atomic<uint64_t> taken;  ///< Records taken off the queue. Consumer's.
  std::atomic<uint64_t> consumed;              ///< Records whose rows were all handed out.
  std::atomic<uint32_t> consumer_state;

  alignas(kLine) std::atomic<uint64_t> free_blocks;  ///< Both sides'.

  alignas(kLine) Bell producer_bell;  ///< Rung by the consumer: a block or a slot came free.
};

inline constexpr uint64_t kRingMagic = 0x31676e6952726d4dULL;
/// muster.feed.library names it, too (_VERSION), and refuses any other.
inline constexpr uint32_t kRingVersion = 2;
inline constexpr size_t kPage = 4096;
inline constexpr size_t kQueueOffset = kPage;

static_assert(sizeof(RingHeader) <= kPage);
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace muster::feed
