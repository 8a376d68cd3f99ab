#pragma once

#include "net/http.h"

#include <map>
#include <string>
#include <string_view>

namespace muster::testing {

/// What a node manager's web service shows of its containers' log files, while they run and after.
class FakeNodePages {
 public:
  /// A process of a container writes to one of its log files.
  void append(const std::string& container, const std::string& file, std::string_view text) {
    logs_[container][file] += text;
  }

  /// The node removes a container's log files, before the container's list is shown for the time of
  /// that number (the first is 1).
  void remove_at(const std::string& container, int listing) { removed_at_[container] = listing; }

  /// Answers GET `target`: /ws/v1/node/containers/ID/logs, and /NAME?size=-BYTES below it; 404 for
  /// every other page.
  [[nodiscard]] net::HttpResponse answer(std::string_view target);

 private:
  std::map<std::string, std::map<std::string, std::string>, std::less<>> logs_;  ///< By container.
  std::map<std::string, int, std::less<>> removed_at_;  ///< Listings until then, by container.
};

}  // namespace muster::testing
