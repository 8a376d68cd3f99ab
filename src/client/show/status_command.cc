#include "client/commands.h"
#include "client/follow/live_status.h"
#include "client/follow/told_progress.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/show/status_view.h"
#include "client/submit/secret.h"
#include "control/page_keys.h"
#include "eventlog/status.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

/// What only a live master or cluster knows.
struct Live {
  std::optional<std::string> status;  ///< The master's own document; nullopt if none answers.
  std::string page;                   ///< The link to its page; "" for none.
};

Live ask_live(Session& session, const cluster::JobFolder& folder,
              const cluster::JobReport& report) {
  Live live;
  if (const auto* const running = std::get_if<cluster::Running>(&report)) {
    live.status = ask_status(session, folder, running->place.address);
  }
  if (live.status || std::holds_alternative<cluster::Queued>(report)) {
    live.page = session.clusters->of(folder).page(folder).value_or("");
  }
  return live;
}

/// Asks the job's master, if there is one.
Result<Live> look(Session& session, const cluster::JobEntry& entry) {
  if (entry.ended) {
    return Live();
  }
  MUSTER_TRY(const cluster::JobReport report,
             session.clusters->of(entry.folder).report(entry.folder));
  return ask_live(session, entry.folder, report);
}

Result<std::string> status_text(Session& session, const JobOptions& command) {
  MUSTER_TRY(const cluster::JobEntry entry, find_entry(session, command.id, command.on));
  MUSTER_TRY(const Live live, look(session, entry));
  if (command.json && live.status) {
    return eventlog::with_page(*live.status, live.page) + "\n";
  }
  // A master records the end and goes a moment before its cluster hears of it, but the log says so.
  Result<FoundJob> read = read_found(session, entry.folder);
  if (!read && live.status) {
    // The log cannot be read; use what the master says.
    return render_live_status(*live.status, live.page);
  }
  MUSTER_TRY(const FoundJob job, std::move(read));
  const bool runs = std::holds_alternative<cluster::Running>(job.report) && !job.ended();
  if (runs && !live.status) {
    session.console.err("muster: the job's master does not answer; this is what its log says\n");
  }
  const std::string here =
      eventlog::with_page(eventlog::status_json(job.reading.replayed.machine.plan(),
                                                job.reading.state(), status_context(job)),
                          live.page);
  if (command.json) {
    return here + "\n";
  }
  const bool waits = std::holds_alternative<cluster::Queued>(job.report) && !job.ended();
  const Measured measured = waits ? Measured() : ask_measured(session, job);
  return render_status(job, session.now(), session.console.screen().colour, measured.usage) +
         render_live_notes(live.status.value_or(waits ? here : ""), live.page) + measured.progress;
}

Result<std::string> history_text(Session& session, const JobOptions& command) {
  MUSTER_TRY(const FoundJob found, find_job(session, command.id, command.on));
  if (command.json) {
    return render_history_json(found);
  }
  const Measured measured = ask_measured(session, found);
  return render_status(found, session.now(), session.console.screen().colour, measured.usage) +
         measured.progress + "\n" + render_history(found.reading);
}

Result<std::string> owner_link_text(Session& session, const JobOptions& command) {
  MUSTER_TRY(const cluster::JobEntry entry, find_entry(session, command.id, command.on));
  MUSTER_TRY(const Live live, look(session, entry));
  const std::string id = entry.folder.id().value;
  if (live.page.empty()) {
    return user_error(id + " has no page now; `muster status` shows its state");
  }
  if (live.page.find("#t=") == std::string::npos) {
    return user_error("the page of " + id +
                      " is behind its cluster's proxy, where it is read-only; `muster stop " + id +
                      "` stops it");
  }
  MUSTER_TRY(const control::Secret secret, read_secret(*session.files, entry.folder));
  return control::owner_page_link(live.page, secret) + "\n";
}

int print(Session& session, const Result<std::string>& text) {
  if (!text) {
    return fail(session.console, text.error());
  }
  session.console.out(*text);
  return 0;
}

}  // namespace

int show_status(Session& session, const StatusCommand& command) {
  if (command.owner_link) {
    return print(session, owner_link_text(session, command));
  }
  return print(session, status_text(session, command));
}

int show_job(Session& session, const ShowCommand& command) {
  if (command.page) {
    return run_portal(session, {.id = command.id, .on = command.on});
  }
  return print(session, history_text(session, command));
}

}  // namespace muster::client
