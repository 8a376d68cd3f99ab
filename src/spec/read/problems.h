#pragma once

#include "base/error.h"
#include "spec/read/document.h"

#include <string>
#include <vector>

namespace muster::spec {

/// Collects everything that is wrong with the inputs, to be reported in one go.
class Problems {
 public:
  /// Notes one problem. `message` is printed as one line: line breaks and control bytes in it are
  /// made visible.
  void add(const Origin& origin, std::string message);

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] size_t size() const { return found_.size(); }

  /// The messages without their origins, in the order of adding.
  [[nodiscard]] std::vector<std::string> messages() const;

  /// Returns one error whose message has a line "FILE:LINE:COLUMN: error: message" for each
  /// problem: by source in the order of first mention, then by position, without repetitions, at
  /// most 10 lines. Requires at least one problem.
  [[nodiscard]] Error error() const;

 private:
  struct Problem {
    size_t source;
    Origin origin;
    std::string message;
  };
  std::vector<std::string> sources_;
  std::vector<Problem> found_;
};

}  // namespace muster::spec
