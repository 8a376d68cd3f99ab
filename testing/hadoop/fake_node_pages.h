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

  /// Answers GET `target`: /ws/v1/node/containers/ID/logs, and /NAME?size=-BYTES below it; 404 for
  /// every other page.
  [[nodiscard]] net::HttpResponse answer(std::string_view target) const;

 private:
  std::map<std::string, std::map<std::string, std::string>, std::less<>> logs_;  ///< By container.
};

}  // namespace muster::testing
