#pragma once

#include "base/result.h"
#include "feed/ring.h"
#include "feed/waiting.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace muster::feed {

/// Identifies one ring of an inbox. Counted from 1, never reused.
using RingId = uint64_t;

/// What came out of an inbox, and from which ring.
struct Received {
  RingId ring = 0;
  Taken taken;
};

/// The reading end of all rings that feed one program under one name ("input"). One thread
/// receives; rings are added, marked gone and queried from any.
class Inbox {
 public:
  /// In which order rings are read.
  enum class Order : uint8_t {
    AsItComes,    ///< Whatever is available (training).
    ByPartition,  ///< A ring is read to the end of its partition first (inference: results go
                  ///< back in the order of the rows).
  };

  [[nodiscard]] static Result<std::unique_ptr<Inbox>> create(Order order,
                                                             const std::string& folder);

  /// Makes a ring for one more producer, or reuses that of a producer that ended in order, since
  /// reserving and mapping memory takes as long as filling it. OutOfSpace if it cannot be reserved.
  [[nodiscard]] Result<RingId> add(RingShape shape);
  /// Descriptors of the ring and of the bell, to be passed to the producer. They stay the inbox's.
  [[nodiscard]] int ring_fd(RingId ring) const;
  /// Returns whether it is in a file because memory was short.
  [[nodiscard]] bool on_disk(RingId ring) const;
  [[nodiscard]] int doorbell_fd() const { return doorbell_->fd(); }
  /// The connection to the ring's producer broke: what it published is still read, then the ring
  /// is forgotten. Unknown ids are ignored.
  void producer_gone(RingId ring);

  /// Returns the next record of any ring. Waits until `deadline`: DeadlineExceeded, Cancelled (a
  /// signal). After EndFeed, and once `end()` was called and everything is read, every call returns
  /// an EndFeed.
  [[nodiscard]] Result<Received> receive(Deadline deadline);
  /// All rows up to the record were handed out. Ignored for forgotten rings.
  void set_consumed(RingId ring, uint64_t sequence);
  /// No more data will come: receive() returns EndFeed once everything published has been read.
  void end();
  /// Discards all present and future data; producers learn of it and only count.
  void terminate();
  [[nodiscard]] bool terminated() const;
  /// Tells all producers that nobody reads any more.
  void close();

  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox();

 private:
  Inbox(Order order, std::string folder, std::shared_ptr<Doorbell> doorbell);
  [[nodiscard]] Result<std::optional<Received>> look();
  /// Returns a reusable ring of this shape from an earlier producer; or none.
  [[nodiscard]] std::unique_ptr<Consumer> take_used(RingShape shape);

  const Order order_;
  const std::string folder_;
  const std::shared_ptr<Doorbell> doorbell_;
  mutable std::mutex mutex_;
  std::map<RingId, std::unique_ptr<Consumer>> rings_;
  std::unique_ptr<Consumer> spare_;  ///< Of a producer that ended in order, one at most.
  RingId last_id_ = 0;
  RingId next_ = 0;     ///< Where the next look starts, so that no ring waits behind a busy one.
  RingId current_ = 0;  ///< ByPartition: the ring whose partition is being read.
  bool ended_ = false;
  bool terminated_ = false;
};

}  // namespace muster::feed
