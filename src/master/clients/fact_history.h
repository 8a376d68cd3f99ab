#pragma once

#include "eventlog/log_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::master {

/// The logged facts of the job, encoded once as frames for followers. Followers share them.
class FactHistory {
 public:
  /// Records come in order of their index, from 0.
  void add(const eventlog::Record& record);
  [[nodiscard]] uint64_t size() const { return frames_.size(); }
  [[nodiscard]] const std::shared_ptr<const std::string>& frame(uint64_t index) const {
    return frames_[index];
  }

 private:
  std::vector<std::shared_ptr<const std::string>> frames_;
};

}  // namespace muster::master
