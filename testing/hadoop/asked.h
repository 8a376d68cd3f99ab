#pragma once

#include "hadoop/yarn/ask_book.h"

#include <string>
#include <vector>

namespace muster::testing {

/// What a heartbeat asks for, in the terms of the wire.
struct Asked {
  /// "ALLOCATION:PLACE=COUNT " for each row, with "!" if no narrower place will do.
  std::string rows;
  std::vector<std::string> avoided;  ///< Hosts to avoid from now on.
};

/// Sends the book's next heartbeat to a resource manager that accepts it and grants nothing.
[[nodiscard]] Asked send_next(hadoop::yarn::AskBook& book);

}  // namespace muster::testing
