#include "feed/ring.h"

#include "feed/inbox.h"
#include "feed/memory_room.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::feed {
namespace {

using namespace std::chrono_literals;

constexpr RingShape kSmall{.block_count = 4, .block_bytes = 4096};

Deadline soon() { return std::chrono::steady_clock::now() + 20s; }

Deadline now() { return std::chrono::steady_clock::now(); }

/// One inbox with one ring, and the producer at the other end of its descriptors.
struct Pair {
  std::unique_ptr<Inbox> inbox;
  RingId ring = 0;
  std::unique_ptr<Producer> producer;
};

std::unique_ptr<Producer> producer_of(const Inbox& inbox, RingId ring) {
  auto memory = RingMemory::adopt(::dup(inbox.ring_fd(ring)));
  auto doorbell = Doorbell::adopt(::dup(inbox.doorbell_fd()));
  EXPECT_TRUE(memory.has_value() && doorbell.has_value());
  return std::make_unique<Producer>(*memory, *doorbell);
}

Pair make_pair(RingShape shape = kSmall, Inbox::Order order = Inbox::Order::AsItComes) {
  Pair pair;
  pair.inbox = *Inbox::create(order, "/tmp");
  pair.ring = *pair.inbox->add(shape);
  pair.producer = producer_of(*pair.inbox, pair.ring);
  return pair;
}

std::vector<std::byte> bytes_of(size_t size, uint8_t first) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(first + i);
  }
  return bytes;
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

ino_t inode_of(int fd) {
  struct stat found = {};
  EXPECT_EQ(::fstat(fd, &found), 0);
  return found.st_ino;
}

TEST(Ring, CarriesBlocksAndMarksInOrder) {
  Pair pair = make_pair();
  const auto sent = bytes_of(100, 7);
  ASSERT_TRUE(pair.producer->put(sent, 5, now()).has_value());
  ASSERT_TRUE(pair.producer->mark(RecordKind::EndPartition, now()).has_value());

  auto block = pair.inbox->receive(now());
  ASSERT_TRUE(block.has_value()) << block.error().message;
  EXPECT_EQ(block->taken.rows, 5U);
  EXPECT_TRUE(equal(block->taken.lease->bytes(), sent));
  EXPECT_FALSE(block->taken.lease->is_copy());
  EXPECT_EQ(pair.inbox->receive(now())->taken.kind, RecordKind::EndPartition);
  EXPECT_EQ(pair.inbox->receive(now()).error().code, Errc::DeadlineExceeded);
}

TEST(Ring, ABlockIsFilledInPlace) {
  Pair pair = make_pair();
  const auto block = pair.producer->reserve(now());
  ASSERT_TRUE(block.has_value());
  ASSERT_EQ(block->size(), kSmall.block_bytes);
  EXPECT_EQ(pair.producer->reserve(now())->data(), block->data());
  const auto sent = bytes_of(1000, 5);
  std::memcpy(block->data(), sent.data(), sent.size());
  ASSERT_TRUE(pair.producer->publish_reserved(sent.size(), 3, now()).has_value());

  const auto received = pair.inbox->receive(now());
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->taken.rows, 3U);
  EXPECT_TRUE(equal(received->taken.lease->bytes(), sent));
  EXPECT_NE(pair.producer->reserve(now())->data(), block->data());
}

TEST(Ring, AReservedBlockServesAPutAndGoesBackAtTheEnd) {
  Pair pair = make_pair({.block_count = 2, .block_bytes = 4096});
  const auto sent = bytes_of(4096 * 2, 5);
  ASSERT_TRUE(pair.producer->reserve(now()).has_value());
  EXPECT_TRUE(pair.producer->put(sent, 1, now()).has_value());
  EXPECT_EQ(pair.producer->reserve(now()).error().code, Errc::DeadlineExceeded);
  EXPECT_TRUE(pair.inbox->receive(now()).has_value());
  ASSERT_TRUE(pair.producer->reserve(now()).has_value());
  const auto free = [&] { return pair.producer->memory().header().free_blocks.load(); };
  EXPECT_EQ(free(), 0b10U);
  pair.producer->close();
  EXPECT_EQ(free(), 0b11U);
}

TEST(Ring, RowsLargerThanABlockComeWhole) {
  Pair pair = make_pair();
  const auto sent = bytes_of(4096 * 11 + 17, 1);
  Status status;
  std::thread producer([&] { status = pair.producer->put(sent, 1, soon()); });
  const auto received = pair.inbox->receive(soon());
  producer.join();
  ASSERT_TRUE(status.has_value());
  ASSERT_TRUE(received.has_value());
  EXPECT_TRUE(equal(received->taken.lease->bytes(), sent));
  EXPECT_TRUE(received->taken.lease->is_copy());
}

TEST(Ring, IsBoundedAndGoesOnWhereAPutStopped) {
  Pair pair = make_pair();
  const auto sent = bytes_of(4096 * 6, 3);
  const Status full = pair.producer->put(sent, 1, now());
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, Errc::DeadlineExceeded);
  EXPECT_NE(full.error().message.find("read what it was fed"), std::string::npos);
  EXPECT_EQ(pair.inbox->receive(now()).error().code, Errc::DeadlineExceeded);  // Takes the parts.
  ASSERT_TRUE(pair.producer->put(sent, 1, now()).has_value());
  EXPECT_TRUE(equal(pair.inbox->receive(now())->taken.lease->bytes(), sent));
}

TEST(Ring, KeepingEveryBatchCannotStopIt) {
  Pair pair = make_pair();
  std::vector<std::shared_ptr<const Lease>> kept;
  size_t copies = 0;
  for (uint8_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(pair.producer->put(bytes_of(64, i), 1, now()).has_value()) << int{i};
    auto received = pair.inbox->receive(now());
    ASSERT_TRUE(received.has_value());
    kept.push_back(received->taken.lease);
    copies += kept.back()->is_copy() ? 1U : 0U;
  }
  EXPECT_LT(copies, 100U);
  for (uint8_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(equal(kept[i]->bytes(), bytes_of(64, i))) << int{i};
  }
}

TEST(Ring, LeasesHalfAtMostHoweverManyMarksAreQueued) {
  Pair pair = make_pair({.block_count = 2, .block_bytes = 4096});
  std::vector<std::shared_ptr<const Lease>> kept;
  for (uint8_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(pair.producer->put(bytes_of(64, i), 1, now()).has_value()) << int{i};
    ASSERT_TRUE(pair.producer->mark(RecordKind::EndPartition, now()).has_value()) << int{i};
    kept.push_back(pair.inbox->receive(now())->taken.lease);
    EXPECT_EQ(kept.back()->is_copy(), i > 0) << int{i};
    EXPECT_EQ(pair.inbox->receive(now())->taken.kind, RecordKind::EndPartition);
  }
}

TEST(Ring, ABlockReturnsOnlyWhenItsViewsAreGone) {
  Pair pair = make_pair({.block_count = 2, .block_bytes = 4096});
  ASSERT_TRUE(pair.producer->put(bytes_of(10, 1), 1, now()).has_value());
  auto first = pair.inbox->receive(now());
  const std::shared_ptr<const Lease> view = first->taken.lease;
  first->taken.lease.reset();
  for (uint8_t i = 0; i < 9; ++i) {
    ASSERT_TRUE(pair.producer->put(bytes_of(10, 50), 1, now()).has_value());
    ASSERT_TRUE(pair.inbox->receive(now()).has_value());
    EXPECT_TRUE(equal(view->bytes(), bytes_of(10, 1)));
  }
}

TEST(Ring, WaitsUntilRowsWereConsumed) {
  Pair pair = make_pair();
  ASSERT_TRUE(pair.producer->put(bytes_of(10, 1), 1, now()).has_value());
  const auto received = pair.inbox->receive(now());
  EXPECT_EQ(pair.producer->wait_consumed(now()).error().code, Errc::DeadlineExceeded);
  std::thread program([&] { pair.inbox->set_consumed(pair.ring, received->taken.sequence); });
  EXPECT_TRUE(pair.producer->wait_consumed(soon()).has_value());
  program.join();
}

TEST(Ring, ADeadReaderEndsEveryWait) {
  Pair pair = make_pair();
  Status status;
  std::thread producer([&] { status = pair.producer->put(bytes_of(4096 * 9, 1), 1, soon()); });
  RingMemory& memory = pair.producer->memory();
  memory.mark_gone(memory.header().consumer_state);
  producer.join();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Errc::Unavailable);
  EXPECT_EQ(pair.producer->put(bytes_of(1, 1), 1, soon()).error().code, Errc::Unavailable);
}

TEST(Ring, APutThatStoppedHalfwayHidesNoDeadReader) {
  Pair pair = make_pair();
  ASSERT_EQ(pair.producer->put(bytes_of(4096 * 9, 1), 1, now()).error().code,
            Errc::DeadlineExceeded);
  RingMemory& memory = pair.producer->memory();
  memory.mark_gone(memory.header().consumer_state);
  EXPECT_EQ(pair.producer->put(bytes_of(1, 1), 1, now()).error().code, Errc::Unavailable);
}

TEST(Ring, WhatADeadProducerPublishedIsRead) {
  Pair pair = make_pair();
  ASSERT_TRUE(pair.producer->put(bytes_of(10, 1), 1, now()).has_value());
  pair.inbox->producer_gone(pair.ring);
  EXPECT_TRUE(pair.inbox->receive(now()).has_value());
  pair.inbox->end();
  EXPECT_EQ(pair.inbox->receive(now())->taken.kind, RecordKind::EndFeed);
  EXPECT_EQ(pair.inbox->ring_fd(pair.ring), -1);
}

TEST(Ring, AProcessKilledInTheMiddleLeavesWholeRecordsOnly) {
  auto inbox = *Inbox::create(Inbox::Order::AsItComes, "/tmp");
  const RingId ring = *inbox->add(kSmall);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto producer = producer_of(*inbox, ring);
    for (;;) {
      if (!producer->put(bytes_of(3000, 9), 1, soon()).has_value()) {
        ::_exit(1);
      }
    }
  }
  for (int i = 0; i < 200; ++i) {
    const auto received = inbox->receive(soon());
    ASSERT_TRUE(received.has_value());
    EXPECT_TRUE(equal(received->taken.lease->bytes(), bytes_of(3000, 9)));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  inbox->producer_gone(ring);
  inbox->end();
  for (;;) {
    const auto received = inbox->receive(soon());
    ASSERT_TRUE(received.has_value());
    if (received->taken.kind == RecordKind::EndFeed) {
      break;
    }
    EXPECT_TRUE(equal(received->taken.lease->bytes(), bytes_of(3000, 9)));
  }
}

TEST(Ring, TerminatingThrowsAwayAndCountsAsConsumed) {
  Pair pair = make_pair();
  pair.inbox->terminate();
  EXPECT_EQ(pair.producer->consumer_state(), PeerState::Terminating);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(pair.producer->put(bytes_of(100, 1), 1, now()).has_value());
    EXPECT_EQ(pair.inbox->receive(now()).error().code, Errc::DeadlineExceeded);
  }
  EXPECT_TRUE(pair.producer->wait_consumed(now()).has_value());
}

TEST(Ring, RefusesWhatIsNoRing) {
  auto segment = Segment::create(kPage * 4, "/tmp");
  ASSERT_TRUE(segment.has_value());
  EXPECT_EQ(RingMemory::adopt(::dup(segment->fd())).error().code, Errc::Corrupt);
  EXPECT_EQ(RingMemory::create({.block_count = 1, .block_bytes = 4096}, "/tmp").error().code,
            Errc::InvalidArgument);
  EXPECT_EQ(RingMemory::create({.block_count = 4, .block_bytes = 4097}, "/tmp").error().code,
            Errc::InvalidArgument);
}

TEST(Ring, MemoryThatCannotBeReservedIsSaidBeforeItIsUsed) {
  constexpr size_t kPetabyte = 1ULL << 50U;  // More than any memory or disk: nothing is taken.
  const auto huge = Segment::create(kPetabyte, "/tmp");
  ASSERT_FALSE(huge.has_value());
  EXPECT_EQ(huge.error().code, Errc::OutOfSpace);
  EXPECT_NE(huge.error().message.find("cannot reserve 1125899906842624 bytes"), std::string::npos);
}

TEST(Ring, RoomIsKnownHere) {
  EXPECT_GT(memory_room(), 0U);
  EXPECT_LT(memory_room(), 1ULL << 50U);
}

TEST(Ring, NonsenseOfTheProducerIsNamedAndNothingIsRead) {
  Pair pair = make_pair();
  RingMemory& memory = pair.producer->memory();
  memory.slot(0) = {.sequence = 1,
                    .kind = RecordKind::Block,
                    .block = 99,
                    .bytes = 1ULL << 40U,
                    .rows = 1,
                    .first_row = 0};
  memory.header().published.store(1);
  const auto received = pair.inbox->receive(now());
  ASSERT_FALSE(received.has_value());
  EXPECT_EQ(received.error().code, Errc::Corrupt);
}

TEST(Inbox, ReadsAPartitionToItsEndWhereAsked) {
  auto inbox = *Inbox::create(Inbox::Order::ByPartition, "/tmp");
  const RingId first = *inbox->add(kSmall);
  const RingId second = *inbox->add(kSmall);
  const auto one = producer_of(*inbox, first);
  const auto two = producer_of(*inbox, second);
  ASSERT_TRUE(one->put(bytes_of(10, 1), 1, now()).has_value());
  ASSERT_TRUE(two->put(bytes_of(10, 2), 1, now()).has_value());
  EXPECT_EQ(inbox->receive(now())->ring, first);
  EXPECT_FALSE(inbox->receive(now()).has_value());  // The first one's partition has not ended yet.
  ASSERT_TRUE(one->mark(RecordKind::EndPartition, now()).has_value());
  EXPECT_EQ(inbox->receive(now())->ring, first);
  EXPECT_EQ(inbox->receive(now())->ring, second);
}

TEST(Inbox, ARingIsUsedAgainAfterAnOrderlyEnd) {
  Pair pair = make_pair();
  const uint64_t first = 1;
  ASSERT_TRUE(pair.producer->put(std::as_bytes(std::span(&first, 1)), 1, now()).has_value());
  ASSERT_TRUE(pair.producer->mark(RecordKind::EndPartition, now()).has_value());
  pair.producer->close();
  const auto kept = pair.inbox->receive(now());
  EXPECT_EQ(pair.inbox->receive(now())->taken.kind, RecordKind::EndPartition);
  const ino_t memory = inode_of(pair.inbox->ring_fd(pair.ring));
  EXPECT_FALSE(pair.inbox->receive(now()).has_value());  // Sees the end, too.

  const RingId again = *pair.inbox->add(kSmall);
  EXPECT_NE(again, pair.ring);
  EXPECT_EQ(inode_of(pair.inbox->ring_fd(again)), memory);
  const auto producer = producer_of(*pair.inbox, again);
  EXPECT_TRUE(producer->wait_consumed(now()).has_value());
  // One block is still being looked at, while the others are reused.
  for (uint64_t i = 2; i < 10; ++i) {
    ASSERT_TRUE(producer->put(std::as_bytes(std::span(&i, 1)), 1, now()).has_value());
    const auto received = pair.inbox->receive(now());
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->ring, again);
    EXPECT_TRUE(equal(received->taken.lease->bytes(), std::as_bytes(std::span(&i, 1))));
  }
  EXPECT_TRUE(equal(kept->taken.lease->bytes(), std::as_bytes(std::span(&first, 1))));
}

TEST(Inbox, NoRingIsUsedAgainThatItsProducerMayStillWriteTo) {
  for (const bool killed : {true, false}) {
    Pair pair = make_pair();
    const ino_t memory = inode_of(pair.inbox->ring_fd(pair.ring));
    const uint64_t row = 1;
    ASSERT_TRUE(pair.producer->put(std::as_bytes(std::span(&row, 1)), 1, now()).has_value());
    EXPECT_TRUE(pair.inbox->receive(now()).has_value());
    if (killed) {
      ASSERT_TRUE(pair.producer->mark(RecordKind::EndPartition, now()).has_value());
      EXPECT_TRUE(pair.inbox->receive(now()).has_value());
      pair.inbox->producer_gone(pair.ring);
    } else {
      pair.producer->close();  // In the middle of a partition: the feeder gave up.
    }
    EXPECT_FALSE(pair.inbox->receive(now()).has_value());
    EXPECT_NE(inode_of(pair.inbox->ring_fd(*pair.inbox->add(kSmall))), memory);
  }
}

TEST(Inbox, ManyProducersLoseNothing) {
  auto inbox = *Inbox::create(Inbox::Order::AsItComes, "/tmp");
  constexpr int kProducers = 4;
  constexpr uint64_t kBlocks = 2000;
  std::vector<std::thread> threads;
  for (int p = 0; p < kProducers; ++p) {
    const RingId ring = *inbox->add(kSmall);
    threads.emplace_back([producer = producer_of(*inbox, ring)] {
      for (uint64_t i = 0; i < kBlocks; ++i) {
        const Status put = producer->put(std::as_bytes(std::span(&i, 1)), 1, soon());
        EXPECT_TRUE(put.has_value()) << put.error().message;
      }
      producer->close();
    });
  }
  std::map<RingId, uint64_t> next;
  for (uint64_t i = 0; i < kBlocks * kProducers; ++i) {
    const auto received = inbox->receive(soon());
    ASSERT_TRUE(received.has_value()) << received.error().message;
    uint64_t number = 0;
    std::memcpy(&number, received->taken.lease->bytes().data(), sizeof(number));
    EXPECT_EQ(number, next[received->ring]++);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace muster::feed
