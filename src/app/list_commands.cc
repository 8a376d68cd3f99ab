#include "app/commands.h"
#include "app/failure.h"
#include "app/job_rows.h"
#include "base/text.h"
#include "client/job_reader.h"

#include <string>

namespace muster::app {
namespace {

int print_rows(Session& session, const ListOptions& command, bool running, bool ended) {
  const Result<JobRows> rows = rows_of(session, command, {.running = running, .ended = ended});
  if (!rows) {
    return fail(session.console, rows.error());
  }
  session.console.out(command.json ? client::render_rows_json(rows->all)
                                   : client::render_rows(rows->all, session.now(),
                                                         session.console.screen().colour));
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

}  // namespace muster::app
