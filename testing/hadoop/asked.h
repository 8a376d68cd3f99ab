#pragma once

#include "hadoop/yarn/ask_book.h"

#include <string>
#include <vector>

namespace muster::testing {

/// What a heartbeat asks for, in the words of the wire.
struct Asked {
  /// "ALLOCATION:PLACE=COUNT " for each row, with "!" where no narrower place will do.
  std::string rows;
  std::vector<std::string> avoided;  ///< Hosts to avoid from now on.
};

/// Sends the book's next heartbeat to a resource manager that takes it in and grants nothing.
[[nodiscard]] Asked send_next(hadoop::yarn::AskBook& book);

}  // namespace muster::testing
