#include "base/text.h"
#include "client/commands.h"
#include "client/show/failure.h"
#include "client/show/job_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace muster::client {
namespace {

int print_rows(Session& session, const ListOptions& command, bool running, bool ended) {
  const Result<JobRows> rows = rows_of(session, command, {.running = running, .ended = ended});
  if (!rows) {
    return fail(session.console, rows.error());
  }
  session.console.out(command.json
                          ? render_rows_json(rows->all)
                          : render_rows(rows->all, session.now(), session.console.screen().colour));
  if (!command.json && (rows->more > 0 || rows->more_unknown)) {
    const std::string count =
        rows->more > 0 ? std::to_string(rows->more) + " more" : "there are more";
    session.console.err(fmt::format("muster: {}; --limit {} shows more of them\n", count,
                                    rows->all.size() + std::max<uint64_t>(rows->more, 20)));
  }
  for (const std::string& trouble : rows->troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return 0;
}

}  // namespace

int list_running(Session& session, const PsCommand& command) {
  return print_rows(session, command, true, command.all);
}

int list_ended(Session& session, const HistoryCommand& command) {
  return print_rows(session, command, false, true);
}

}  // namespace muster::client
