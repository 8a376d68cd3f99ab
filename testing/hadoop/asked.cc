#include "testing/hadoop/asked.h"

#include "hadoop/yarn_master.pb.h"

#include <fmt/format.h>

namespace muster::testing {

Asked send_next(hadoop::yarn::AskBook& book) {
  Asked asked;
  const auto& said = book.begin();
  for (const auto& row : said.ask()) {
    asked.rows += fmt::format("{}:{}={}{} ", row.allocation_request_id(), row.resource_name(),
                              row.num_containers(), row.relax_locality() ? "" : "!");
  }
  const auto& avoided = said.blacklist_request().blacklist_additions();
  asked.avoided.assign(avoided.begin(), avoided.end());
  (void)book.accept(::hadoop::yarn::AllocateResponse());
  return asked;
}

}  // namespace muster::testing
