#include "client/follow/follower.h"

#include "base/text.h"
#include "client/show/status_text.h"

#include <fmt/format.h>

#include <utility>

namespace muster::client {

Follower::Follower(FollowerDeps deps, FollowerOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      job_(deps_.make_plan),
      stop_(options_.stop),
      narrator_({.loop = deps_.loop, .console = deps_.console, .events = deps_.events},
                {.job_id = options_.job_id,
                 .tells = options_.narrate,
                 .tell_waiting = options_.tell_waiting}),
      connection_(
          {.loop = deps_.loop, .transport = deps_.transport, .locate = deps_.locate},
          {.job_id = options_.job_id, .secret = options_.secret, .patience = options_.patience}),
      ending_(deps_.loop) {}

void Follower::start(std::function<void(const FollowEnd&)> ended) {
  ended_ = std::move(ended);
  MasterConnection::Handlers handlers;
  handlers.opened = [this] { say_hello(); };
  handlers.frame = [this](std::string_view frame) { on_frame(frame); };
  handlers.silent = [this](const std::string& reason, Duration silent) {
    return go_on_without_master(reason, silent);
  };
  handlers.given_up = [this](const std::string& error) { lose(error); };
  connection_.start(std::move(handlers));
}

void Follower::say_hello() {
  wire::ClientHello hello;
  hello.who = options_.who;
  hello.follow_facts = true;
  hello.from_index = job_.next_index();
  hello.follow_output = options_.output && !muted_;
  connection_.send(wire::ClientFrame{hello});
  if (stop_) {
    connection_.send(wire::ClientFrame{wire::StopJob{options_.who, *stop_}});
  }
}

bool Follower::go_on_without_master(const std::string& reason, Duration silent) {
  if (over_) {
    return false;
  }
  if (std::optional<FoundEnd> found = deps_.read_end()) {
    if (found->log) {
      catch_up(*found->log);
    }
    end({.kind = found->outcome ? FollowEnd::Kind::Ended : FollowEnd::Kind::Lost,
         .outcome = std::move(found->outcome),
         .error = std::move(found->error)});
    return false;
  }
  narrator_.no_master(reason, silent);
  return true;
}

/// Handles a job that was over before we came, or whose last master went without a word, for which
/// a busy host is enough. What that master would have sent is in the job's log, and the output is
/// in its logs.
void Follower::catch_up(const eventlog::Log& log) {
  on_event(wire::ClientWelcome{.job_id = log.header.job_id,
                               .epoch = log.header.epoch,
                               .plan_json = log.header.plan_json,
                               .seed = log.header.seed});
  for (const eventlog::Record& record : log.records) {
    on_event(wire::FactLogged{
        .index = record.index, .at = record.at, .wall = record.wall, .fact = record.fact});
  }
  if (output_) {
    output_->missed(machine()->state());
  }
}

void Follower::on_frame(std::string_view frame) {
  if (over_) {
    return;
  }
  Result<wire::ClientEvent> event = wire::decode_client_event(frame);
  if (!event) {
    lose("the master sent something this client does not understand: " + event.error().message);
    return;
  }
  std::visit([this](auto& inner) { on_event(inner); }, *event);
}

void Follower::on_event(const wire::ClientWelcome& welcome) {
  const Result<bool> first = job_.begin(welcome);
  if (!first) {
    lose(first.error().message);
    return;
  }
  if (*first) {
    show_output();
  }
}

void Follower::show_output() {
  if (options_.output && !muted_) {
    output_.emplace(OutputView::Deps{.loop = deps_.loop,
                                     .console = deps_.console,
                                     .files = deps_.files,
                                     .events = deps_.events,
                                     .take = deps_.take_output,
                                     .reader_gone = [this] { on_reader_gone(); }},
                    machine()->plan());
  }
}

void Follower::on_event(const wire::FactLogged& logged) {
  if (!job_.take(logged)) {
    return;
  }
  if (options_.leave_when_told && std::holds_alternative<job::StopAsked>(logged.fact)) {
    detach();
    return;
  }
  if (narrator_.tells() && std::holds_alternative<job::HeadroomReported>(logged.fact) &&
      machine()->state().phase == job::JobPhase::Gathering) {
    // The cluster has looked: what it says about a job that must wait is in the status.
    connection_.send(wire::ClientFrame{wire::StatusAsked{}});
  }
  narrator_.applied(*machine(), logged.at, logged.fact);
}

void Follower::on_event(wire::Output& output) {
  const job::TaskId task = output.attempt.task;
  if (output_ && task.role.value < machine()->state().tasks.size() &&
      task.index < machine()->state().tasks[task.role.value].size()) {
    output_->take(output);
  }
}

void Follower::on_event(wire::StatusAnswered& status) {
  // Also for those who want no narration: a job whose log cannot be written stands still.
  narrator_.log_trouble(log_trouble_of(status.json), machine(), stop_.has_value());
  const std::string waits_for = waits_for_of(status.json);
  const bool own_words =
      machine() != nullptr && waits_for == machine()->state().chronicle.waits_for();
  if (narrator_.tells() && !own_words) {
    narrator_.waits_for(waits_for);
  }
}

void Follower::on_event(wire::JobEnded& ended) {
  end({.kind = FollowEnd::Kind::Ended, .outcome = std::move(ended.outcome), .error = {}});
}

void Follower::on_event(wire::Refused& refused) {
  deps_.console.err("muster: refused: " + printable(refused.reason) + "\n");
}

/// A program run by hand would get SIGPIPE; one that writes to a full disk may do as it likes.
void Follower::on_reader_gone() {
  if (deps_.console.out_disk_failed()) {
    const Error trouble =
        system_error(deps_.console.out_errno(), "cannot write to standard output");
    deps_.console.err(fmt::format("muster: {}; {} continues, and its logs have all of the output\n",
                                  trouble.message, options_.job_id));
    return;
  }
  if (over_ || stop_) {
    output_->mute();
    return;
  }
  if (options_.stops_without_reader) {
    deps_.console.err(
        fmt::format("muster: nobody reads the output any more; stopping {}\n", options_.job_id));
    stop_job(job::StopHow::Terminate);
  } else {
    detach();
  }
}

void Follower::stop_job(job::StopHow how) {
  stop_ = how;
  narrator_.set_tells(options_.narrate);
  if (machine() != nullptr && narrator_.tells()) {
    narrator_.show_phase(*machine());
  }
  connection_.send(wire::ClientFrame{wire::StopJob{options_.who, how}});
}

void Follower::mute() {
  muted_ = true;
  narrator_.set_tells(options_.narrate && stop_);
  if (output_) {
    output_->mute();
  }
}

void Follower::detach() {
  if (over_ && output_) {
    output_->mute();  // It has ended; do not wait for the rest of its output now.
  }
  end({.kind = FollowEnd::Kind::Detached, .outcome = std::nullopt, .error = {}});
}

void Follower::lose(std::string error) {
  end({.kind = FollowEnd::Kind::Lost, .outcome = std::nullopt, .error = std::move(error)});
}

void Follower::end(FollowEnd end) {
  if (!std::exchange(over_, true)) {
    ending_.spawn(tell_end(std::move(end)));
  }
}

rt::Async<> Follower::tell_end(FollowEnd end) {
  narrator_.set_tells(false);
  deps_.console.status("");
  if (output_) {
    co_await output_->finish(end.kind == FollowEnd::Kind::Ended);
  }
  ended_(end);
}

}  // namespace muster::client
