#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace muster::cluster {

/// Limits each owner to some turns at a time: threads beside the loop are few, and what one person
/// has made slow must not take all of them.
class OwnerTurns {
 public:
  explicit OwnerTurns(int at_a_time) : at_a_time_(at_a_time) {}

  /// Returns a turn, which lasts until the last copy of the pointer is destroyed, on any thread;
  /// nothing while the owner has the maximum.
  [[nodiscard]] std::shared_ptr<void> take(const std::string& owner);

 private:
  int at_a_time_;
  std::map<std::string, std::shared_ptr<std::atomic<int>>> taken_;
};

}  // namespace muster::cluster
