#include "client/follow/narrator.h"

#include "base/text.h"
#include "client/follow/progress.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::seconds;

constexpr Duration kPhaseEvery = seconds(1);
constexpr Duration kNumbersPause = seconds(30);
constexpr Duration kRestAfter = seconds(1);  // Of many lines of one kind.

}  // namespace

Narrator::Narrator(Deps deps, Options options)
    : deps_(deps),
      options_(std::move(options)),
      job_now_at_(deps_.loop.now()),
      telling_(deps_.loop),
      drawing_(deps_.loop) {}

void Narrator::applied(const job::Machine& machine, Time at, const job::Fact& fact) {
  job_now_ = at;
  job_now_at_ = deps_.loop.now();
  const std::optional<std::string> line = narrate(machine, fact);
  const std::string phase(to_string(machine.state().phase));
  if (deps_.events != nullptr) {
    if (line) {
      deps_.events->told(*line);
    }
    deps_.events->tasks(machine.plan(), machine.state());
    if (phase != last_phase_) {
      deps_.events->phase(phase);
    }
  }
  if (options_.tells) {
    if (line) {
      const std::vector<std::string> told = alike_.take(*line);
      tell(told);
      if (told.empty() && telling_.size() == 0) {
        telling_.spawn(tell_rest_soon());
      }
    }
    if (machine.state().phase == job::JobPhase::Ended) {
      tell(alike_.rest());
    }
    show_phase(machine);
  }
  last_phase_ = phase;
}

void Narrator::tell(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    deps_.console.err(paint("muster: ", "2", deps_.console.screen().colour) + line + "\n");
  }
}

rt::Async<> Narrator::tell_rest_soon() {
  co_await rt::pause_for(deps_.loop, kRestAfter);
  tell(alike_.rest());
}

std::string Narrator::phase_text(const job::Machine& machine) const {
  return machine.state().phase == job::JobPhase::Ended
             ? ""
             : phase_line(machine, job_now_ + (deps_.loop.now() - job_now_at_));
}

void Narrator::show_phase(const job::Machine& machine) {
  if (deps_.console.screen().err_is_terminal) {
    deps_.console.status(phase_text(machine));
    if (drawing_.size() == 0) {
      drawing_.spawn(draw_phase(&machine));
    }
    return;
  }
  // Without a terminal, one line per phase is enough, so that the logs of batch systems stay short.
  const std::string phase(to_string(machine.state().phase));
  const Progress progress = progress_of(machine);
  const bool all_run =
      machine.state().phase == job::JobPhase::Running &&
      progress.running + progress.succeeded + progress.failed >= progress.tasks_wanted;
  if (phase != last_phase_ || (all_run && !told_all_run_)) {
    told_all_run_ = told_all_run_ || all_run;
    last_phase_ = phase;
    deps_.console.err(
        "muster: " + phase_line(machine, job_now_ + (deps_.loop.now() - job_now_at_)) + "\n");
  }
}

rt::Async<> Narrator::draw_phase(const job::Machine* machine) {
  while (true) {
    co_await rt::pause_for(deps_.loop, kPhaseEvery);
    if (options_.tells) {
      deps_.console.status(phase_text(*machine));
    }
  }
}

void Narrator::log_trouble(const std::string& trouble, const job::Machine* machine,
                           bool stop_wanted) {
  if (trouble == log_trouble_) {
    return;
  }
  log_trouble_ = trouble;
  const bool ends = machine != nullptr && (machine->state().phase == job::JobPhase::Stopping ||
                                           machine->state().phase == job::JobPhase::Ended);
  const std::string_view meaning =
      stop_wanted ? "its tasks are stopped within seconds, and the job still ends within a minute"
      : ends      ? "the job still ends within a minute"
                  : "its tasks continue; starts and restarts wait until there is space again";
  deps_.console.err(trouble.empty()
                        ? "muster: the job's log can be written again\n"
                        : fmt::format("muster: the job's log cannot be written: {}; {}\n",
                                      printable(trouble), meaning));
}

void Narrator::waits_for(const std::string& reason) {
  const HostTime now = deps_.loop.now();
  const bool numbers_only = same_but_for_numbers(reason, last_wait_);
  if (reason == last_wait_ || (numbers_only && now - last_wait_at_ < kNumbersPause)) {
    return;
  }
  if (!reason.empty()) {
    deps_.console.err("muster: waiting: " + printable(reason) + "\n");
    if (deps_.events != nullptr) {
      deps_.events->told("waiting: " + reason);
    }
  }
  last_wait_ = reason;
  last_wait_at_ = now;
}

void Narrator::no_master(const std::string& reason, Duration silent) {
  if (!options_.tells || silent < seconds(1)) {
    return;
  }
  if (options_.tell_waiting && !deps_.console.screen().err_is_terminal) {
    waits_for(reason);
    return;
  }
  deps_.console.status(fmt::format("{}: waiting for a master to answer ({}): {}", options_.job_id,
                                   format_duration(silent), printable(reason)));
}

}  // namespace muster::client
