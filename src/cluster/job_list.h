#pragma once

#include "base/result.h"
#include "base/time.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// Which jobs a list should contain.
struct JobsQuery {
  bool running = true;  ///< Those that have not ended.
  bool ended = false;
  uint32_t limit = 100;  ///< Per page, 1 or more.
  std::string after;     ///< JobsPage::next of the page before; empty: the first page.
};

/// A job as its cluster lists it.
struct ListedJob {
  enum class State : uint8_t { Queued, Running, Ended, Lost };

  std::string id;
  std::string application_id;  ///< The cluster's own id; "" for none.
  std::string user;
  State state = State::Running;
  WallTime submitted{};
  std::string summary;  ///< If it has ended: summary.json's text; "" if it has none.
};

struct JobsPage {
  std::vector<ListedJob> jobs;
  std::string next;                   ///< For JobsQuery::after; empty: this is the last page.
  std::vector<std::string> troubles;  ///< What could not be read, and why.
};

/// The position of a job in a list, in the text form of JobsQuery::after and JobsPage::next:
/// "0:99:ID" for a job submitted 99 µs after 1970 that has not ended, "1:99:ID" for one that has. A
/// place stays valid when its job has been removed.
struct ListPlace {
  bool ended = false;
  WallTime submitted{};
  std::string id;

  /// Less: nearer to the list's beginning.
  std::strong_ordering operator<=>(const ListPlace& other) const;
  bool operator==(const ListPlace& other) const = default;
};

[[nodiscard]] std::string to_text(const ListPlace& place);
/// Returns InvalidArgument for anything that to_text() does not make.
[[nodiscard]] Result<ListPlace> parse_list_place(std::string_view text);

}  // namespace muster::cluster
