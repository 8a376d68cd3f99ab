#include "feed/c_api.h"

#include "feed/arrow.h"
#include "feed/c_handles.h"

#include <algorithm>
#include <cstring>

namespace muster::feed {
namespace {

/// Without a destructor: the function that runs those at a thread's end is newer than the oldest C
/// library that the feed runs on.
constexpr size_t kMostError = 2048;
thread_local char last_error[kMostError];

void remember(const Error& error) {
  const size_t size = std::min(error.message.size(), kMostError - 1);
  std::memcpy(last_error, error.message.data(), size);
  last_error[size] = '\0';
}

mf_status failed(const Error& error) {
  remember(error);
  switch (error.code) {
    case Errc::DeadlineExceeded:
      return MF_TIMED_OUT;
    case Errc::Cancelled:
      return MF_INTERRUPTED;
    case Errc::Unavailable:
      return MF_GONE;
    case Errc::OutOfSpace:
      return MF_NO_SPACE;
    case Errc::Corrupt:
      return MF_CORRUPT;
    case Errc::Unsupported:
      return MF_UNSUPPORTED;
    case Errc::InvalidArgument:
      return MF_INVALID;
    case Errc::Other:
    case Errc::NotFound:
    case Errc::AlreadyExists:
    case Errc::PermissionDenied:
    case Errc::NeverFits:
    case Errc::Unauthenticated:
      return MF_FAILED;
  }
  return MF_FAILED;
}

mf_status status_of(const Status& status) {
  return status.has_value() ? MF_OK : failed(status.error());
}

Deadline deadline_of(int64_t timeout_ms) {
  constexpr int64_t kYear = 365LL * 24 * 3600 * 1000;
  const int64_t wait = timeout_ms < 0 ? kYear : std::min(timeout_ms, kYear);
  // lint: allow(clock) the feed runs in the user's process, where there is no loop.
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(wait);
}

/// Returns how many rows of a batch fill about one block, at least one.
uint64_t rows_per_block(const ArrowImport& import, uint64_t block_bytes) {
  const uint64_t per_row =
      std::max<uint64_t>(1, import.bytes() / std::max<uint64_t>(1, import.rows()));
  // Nodes and padding take some space, too.
  return std::max<uint64_t>(1, (block_bytes - block_bytes / 8) / per_row);
}

mf_status put_batch(Producer& producer, ArrowImport& import, uint64_t& done, Deadline deadline) {
  const uint64_t most = rows_per_block(import, producer.memory().shape().block_bytes);
  while (done < import.rows()) {
    const uint64_t count = std::min(most, import.rows() - done);
    const Column column = import.slice(done, count);
    const BlockPlan plan(column, count);
    if (const Status put = producer.put(plan.pieces(), count, deadline); !put.has_value()) {
      return failed(put.error());
    }
    done += count;
  }
  return MF_OK;
}

mf_node node_of(const BlockView& view, const Node& from) {
  const auto bytes = view.values(from);
  mf_node node{.look = static_cast<uint8_t>(from.look),
               .item = static_cast<uint8_t>(from.item),
               .variable = from.variable,
               .dimensions = from.dimensions,
               .children = from.children,
               .subtree = from.subtree,
               .name_bytes = from.name_bytes,
               .name = view.name(from).data(),  // NOLINT: name_bytes says how long it is.
               .width = from.width,
               // The block belongs to the reader alone until its lease ends: it may be written,
               // too.
               .values = const_cast<std::byte*>(bytes.data()),
               .values_bytes = bytes.size(),
               .offsets = view.offsets(from).data(),
               .validity = view.validity(from).data(),
               .shape = {}};
  std::copy(std::begin(from.shape), std::end(from.shape), std::begin(node.shape));
  return node;
}

}  // namespace
}  // namespace muster::feed

using namespace muster::feed;  // NOLINT(google-build-using-namespace): this file is C's face.

const char* mf_error(void) { return last_error; }

void mf_set_error(const muster::Error& error) { remember(error); }

uint32_t mf_version(void) { return kRingVersion; }

mf_status mf_inbox_new(int by_partition, const char* folder, mf_inbox** inbox) {
  auto made = Inbox::create(by_partition != 0 ? Inbox::Order::ByPartition : Inbox::Order::AsItComes,
                            folder);
  if (!made.has_value()) {
    return failed(made.error());
  }
  *inbox = new mf_inbox{.inbox = *std::move(made)};
  return MF_OK;
}

void mf_inbox_free(mf_inbox* inbox) { delete inbox; }

mf_status mf_inbox_add(mf_inbox* inbox, uint32_t blocks, uint64_t block_bytes, uint64_t* ring,
                       int* on_disk) {
  const auto added = inbox->inbox->add({.block_count = blocks, .block_bytes = block_bytes});
  if (!added.has_value()) {
    return failed(added.error());
  }
  *ring = *added;
  *on_disk = inbox->inbox->on_disk(*added) ? 1 : 0;
  return MF_OK;
}

int mf_inbox_ring_fd(mf_inbox* inbox, uint64_t ring) { return inbox->inbox->ring_fd(ring); }

int mf_inbox_doorbell_fd(mf_inbox* inbox) { return inbox->inbox->doorbell_fd(); }

void mf_inbox_producer_gone(mf_inbox* inbox, uint64_t ring) { inbox->inbox->producer_gone(ring); }

mf_status mf_inbox_receive(mf_inbox* inbox, int64_t timeout_ms, mf_received* received) {
  auto got = inbox->inbox->receive(deadline_of(timeout_ms));
  if (!got.has_value()) {
    return failed(got.error());
  }
  *received = {.ring = got->ring,
               .sequence = got->taken.sequence,
               .rows = got->taken.rows,
               .first_row = got->taken.first_row,
               .kind = static_cast<uint32_t>(got->taken.kind),
               .nodes = 0,
               .lease = nullptr,
               .root = {}};
  if (got->taken.lease != nullptr) {
    const auto view = BlockView::parse(got->taken.lease->bytes());
    if (!view.has_value()) {
      inbox->inbox->producer_gone(got->ring);
      return failed(view.error());
    }
    received->rows = view->rows();
    received->nodes = static_cast<uint32_t>(view->nodes().size());
    received->lease = new mf_lease{.lease = got->taken.lease, .view = *view};
    received->root = node_of(*view, view->root());
  }
  return MF_OK;
}

void mf_inbox_consumed(mf_inbox* inbox, uint64_t ring, uint64_t sequence) {
  inbox->inbox->set_consumed(ring, sequence);
}

void mf_inbox_end(mf_inbox* inbox) { inbox->inbox->end(); }

void mf_inbox_terminate(mf_inbox* inbox) { inbox->inbox->terminate(); }

int mf_inbox_terminated(mf_inbox* inbox) { return inbox->inbox->terminated() ? 1 : 0; }

void mf_inbox_close(mf_inbox* inbox) { inbox->inbox->close(); }

void mf_lease_nodes(const mf_lease* lease, mf_node* nodes) {
  for (const Node& node : lease->view.nodes()) {
    *nodes++ = node_of(lease->view, node);
  }
}

int mf_lease_is_copy(const mf_lease* lease) { return lease->lease->is_copy() ? 1 : 0; }

mf_status mf_lease_arrow(const mf_lease* lease, ArrowSchema* schema, ArrowArray* array) {
  return status_of(export_arrow(lease->lease, *schema, *array));
}

void mf_lease_free(mf_lease* lease) { delete lease; }

mf_status mf_producer_new(int ring_fd, int doorbell_fd, mf_producer** producer) {
  auto doorbell = Doorbell::adopt(doorbell_fd);
  auto memory = RingMemory::adopt(ring_fd);
  if (!memory.has_value() || !doorbell.has_value()) {
    return failed(memory.has_value() ? doorbell.error() : memory.error());
  }
  *producer = new mf_producer{.producer = Producer(*std::move(memory), *std::move(doorbell))};
  return MF_OK;
}

void mf_producer_free(mf_producer* producer) { delete producer; }

uint64_t mf_producer_block_bytes(const mf_producer* producer) {
  return producer->producer.memory().shape().block_bytes;
}

int mf_producer_reader(const mf_producer* producer) {
  return static_cast<int>(producer->producer.consumer_state());
}

void mf_producer_reader_gone(mf_producer* producer) {
  RingMemory& memory = producer->producer.memory();
  memory.mark_gone(memory.header().consumer_state);
}

mf_status mf_producer_put_plan(mf_producer* producer, const BlockPlan* plan, int64_t timeout_ms) {
  return status_of(producer->producer.put(plan->pieces(), plan->rows(), deadline_of(timeout_ms)));
}

mf_status mf_producer_reserve_block(mf_producer* producer, int64_t timeout_ms,
                                    std::span<std::byte>* block) {
  const auto reserved = producer->producer.reserve(deadline_of(timeout_ms));
  if (!reserved.has_value()) {
    return failed(reserved.error());
  }
  *block = *reserved;
  return MF_OK;
}

mf_status mf_producer_publish_block(mf_producer* producer, size_t bytes, uint64_t rows,
                                    int64_t timeout_ms) {
  return status_of(producer->producer.publish_reserved(bytes, rows, deadline_of(timeout_ms)));
}

mf_status mf_producer_put_pickled(mf_producer* producer, const void* bytes, uint64_t size,
                                  uint64_t rows, int64_t timeout_ms) {
  const Column column{.look = Look::Pickled,
                      .values = {static_cast<const std::byte*>(bytes), size}};
  const BlockPlan plan(column, rows);
  return mf_producer_put_plan(producer, &plan, timeout_ms);
}

mf_status mf_producer_put_arrow(mf_producer* producer, const ArrowSchema* schema,
                                const ArrowArray* array, uint64_t* done, int64_t timeout_ms) {
  auto import = ArrowImport::of(*schema, *array);
  if (!import.has_value()) {
    return failed(import.error());
  }
  return put_batch(producer->producer, **import, *done, deadline_of(timeout_ms));
}

mf_status mf_producer_mark(mf_producer* producer, uint32_t kind, int64_t timeout_ms) {
  if (kind != static_cast<uint32_t>(RecordKind::EndPartition) &&
      kind != static_cast<uint32_t>(RecordKind::EndFeed)) {
    return MF_INVALID;
  }
  return status_of(producer->producer.mark(static_cast<RecordKind>(kind), deadline_of(timeout_ms)));
}

mf_status mf_producer_wait_consumed(mf_producer* producer, int64_t timeout_ms) {
  return status_of(producer->producer.wait_consumed(deadline_of(timeout_ms)));
}

void mf_producer_close(mf_producer* producer) { producer->producer.close(); }
