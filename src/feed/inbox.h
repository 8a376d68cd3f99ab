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

/// Names one ring of an inbox. From 1, never used twice.
using RingId = uint64_t;

/// What came out of an inbox: from which ring, and what.
struct Received {
  RingId ring = 0;
  Taken taken;
};

/// The reading end of all rings that feed one program under one name ("input"). One thread
/// receives; rings are added, marked gone and asked about from any.
class Inbox {
 public:
  /// In which order rings are read.
  enum class Order : uint8_t {
    AsItComes,    ///< Whatever is there (training).
    ByPartition,  ///< A ring is read to the end of its partition first (inference: results go
                  ///< back in the order of the rows).
  };

  [[nodiscard]] static Result<std::unique_ptr<Inbox>> create(Order order,
                                                             const std::string& folder);

  /// Makes a ring for one more producer, or gives it one whose producer ended in order: to reserve
  /// and to map memory takes as long as to fill it. OutOfSpace where it cannot be reserved.
  [[nodiscard]] Result<RingId> add(RingShape shape);
  /// For passing to the producer: the descriptor of the ring, and of the bell. Stay the inbox's.
  [[nodiscard]] int ring_fd(RingId ring) const;
  /// Memory was short, so that it is in a file.
  [[nodiscard]] bool on_disk(RingId ring) const;
  [[nodiscard]] int doorbell_fd() const { return doorbell_->fd(); }
  /// The connection to the ring's producer broke: what it published is still read, then the ring
  /// is forgotten. Unknown ids are ignored.
  void producer_gone(RingId ring);

  /// The next record of any ring. Waits until `deadline`: DeadlineExceeded, Cancelled (a signal).
  /// After EndFeed, and once `end()` was called and all is read, an EndFeed comes every time.
  [[nodiscard]] Result<Received> receive(Deadline deadline);
  /// All rows up to the record were handed out. Of forgotten rings: nothing happens.
  void set_consumed(RingId ring, uint64_t sequence);
  /// No more data will come: receive() gives EndFeed once everything published was read.
  void end();
  /// Throws away what is and will be fed; producers learn of it and only count.
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
  /// A ring of an earlier producer, of this shape, that can be used again; or none.
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
