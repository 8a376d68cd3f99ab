#include "feed/ring.h"
#include "feed/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace muster::feed {
namespace {

constexpr uint64_t kLeastBlock = kPage;
constexpr uint64_t kMostBlock = 1ULL << 30U;

bool possible(const RingShape& shape) {
  return shape.block_count >= 2 && shape.block_count <= kMaxBlocks &&
         shape.block_bytes >= kLeastBlock && shape.block_bytes <= kMostBlock &&
         shape.block_bytes % kLine == 0;
}

/// Twice the blocks, to leave room for records without one.
uint32_t slots_of(const RingShape& shape) { return shape.block_count * 2 + 16; }

size_t blocks_offset(uint32_t queue_slots) {
  const size_t end = kQueueOffset + queue_slots * sizeof(Record);
  return (end + kPage - 1) / kPage * kPage;
}

size_t bytes_of(const RingShape& shape) {
  return blocks_offset(slots_of(shape)) + shape.block_count * shape.block_bytes;
}

uint64_t all_free(uint32_t blocks) { return blocks == kMaxBlocks ? ~0ULL : (1ULL << blocks) - 1; }

Error not_a_ring(std::string_view why) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Muster,
          .message = fmt::format("the descriptor does not hold a feed ring: {}", why)};
}

}  // namespace

RingMemory::RingMemory(Segment segment, RingShape shape, uint32_t queue_slots)
    : segment_(std::move(segment)),
      shape_(shape),
      queue_slots_(queue_slots),
      blocks_offset_(blocks_offset(queue_slots)) {}

Result<std::shared_ptr<RingMemory>> RingMemory::create(RingShape shape, const std::string& folder) {
  if (!possible(shape)) {
    return user_error(
        fmt::format("a feed cannot have {} blocks of {} bytes: it needs 2 to {} blocks of {} bytes "
                    "to 1 GiB each, a multiple of {}",
                    shape.block_count, shape.block_bytes, kMaxBlocks, kLeastBlock, kLine));
  }
  MUSTER_TRY(Segment segment, Segment::create(bytes_of(shape), folder));
  auto* header = new (segment.data()) RingHeader{};
  header->magic = kRingMagic;
  header->version = kRingVersion;
  header->block_count = shape.block_count;
  header->block_bytes = shape.block_bytes;
  header->queue_slots = slots_of(shape);
  header->free_blocks.store(all_free(shape.block_count), std::memory_order_release);
  return std::shared_ptr<RingMemory>(
      new RingMemory(std::move(segment), shape, header->queue_slots));
}

Result<std::shared_ptr<RingMemory>> RingMemory::adopt(int fd) {
  MUSTER_TRY(Segment segment, Segment::adopt(fd, kPage));
  const auto* header = reinterpret_cast<const RingHeader*>(segment.data());
  if (header->magic != kRingMagic || header->version != kRingVersion) {
    return not_a_ring("its first bytes are not those of a ring of this version");
  }
  const RingShape shape{.block_count = header->block_count, .block_bytes = header->block_bytes};
  if (!possible(shape) || header->queue_slots != slots_of(shape) ||
      segment.size() < bytes_of(shape)) {
    return not_a_ring(fmt::format("{} blocks of {} bytes do not fit in its {} bytes",
                                  shape.block_count, shape.block_bytes, segment.size()));
  }
  return std::shared_ptr<RingMemory>(new RingMemory(std::move(segment), shape, slots_of(shape)));
}

void RingMemory::release(uint32_t block) const {
  header().free_blocks.fetch_or(1ULL << block, std::memory_order_seq_cst);
  ring(header().producer_bell);
}

void RingMemory::map_for_writing(uint32_t block) const {
#ifndef MADV_POPULATE_READ
  constexpr int MADV_POPULATE_READ = 22;
#endif
  const uint64_t bit = 1ULL << block;
  if ((mapped_ & bit) == 0) {
    mapped_ |= bit;
    const size_t from = (blocks_offset_ + block * shape_.block_bytes) / kPage * kPage;
    const size_t to = blocks_offset_ + (block + 1) * shape_.block_bytes;
    // For reading the kernel maps many pages at a time, and shared memory may then be written, too.
    // Older kernels refuse; then every page costs its own fault.
    ::madvise(segment_.data() + from, to - from, MADV_POPULATE_READ);
  }
}

void RingMemory::end_lease(uint32_t block) const {
  leased_.fetch_sub(1, std::memory_order_relaxed);
  release(block);
}

void RingMemory::mark_gone(std::atomic<uint32_t>& state) const {
  uint32_t was = state.load(std::memory_order_acquire);
  while (was == static_cast<uint32_t>(PeerState::Open) ||
         was == static_cast<uint32_t>(PeerState::Terminating)) {
    if (state.compare_exchange_weak(was, static_cast<uint32_t>(PeerState::Gone))) {
      break;
    }
  }
  ring(header().producer_bell);
}

Result<std::shared_ptr<Doorbell>> Doorbell::create(const std::string& folder) {
  MUSTER_TRY(Segment segment, Segment::create(kPage, folder));
  new (segment.data()) Bell{};
  return std::shared_ptr<Doorbell>(new Doorbell(std::move(segment)));
}

Result<std::shared_ptr<Doorbell>> Doorbell::adopt(int fd) {
  MUSTER_TRY(Segment segment, Segment::adopt(fd, kPage));
  return std::shared_ptr<Doorbell>(new Doorbell(std::move(segment)));
}

Lease::Lease(std::shared_ptr<RingMemory> memory, uint32_t block, size_t bytes)
    : memory_(std::move(memory)), block_(block), bytes_(memory_->block(block).first(bytes)) {
  memory_->lease();
}

Lease::Lease(std::unique_ptr<std::byte[]> copy, size_t bytes)
    : copy_(std::move(copy)), bytes_(copy_.get(), bytes) {}

Lease::~Lease() {
  if (memory_ != nullptr) {
    memory_->end_lease(block_);
  }
}

}  // namespace muster::feed
