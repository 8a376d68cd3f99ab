#include "client/follower.h"

#include "base/text.h"
#include "client/progress.h"
#include "client/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kFoldWindow = milliseconds(300);
constexpr Duration kDialDeadline = seconds(5);
constexpr Duration kDialDelayLow = milliseconds(20);
constexpr Duration kDialDelayHigh = milliseconds(500);
constexpr int kRefusalsMax = 3;
constexpr Duration kPhaseEvery = seconds(1);
constexpr Duration kNumbersPause = seconds(30);

/// Colours of prefixes, by role and index, so that neighbours differ.
constexpr std::string_view kPrefixColours[] = {"36", "33", "32", "35", "34", "96", "93", "92"};

}  // namespace

Follower::Follower(FollowerDeps deps, FollowerOptions options)
    : deps_(std::move(deps)), options_(std::move(options)), stop_wanted_(options_.stop) {}

Follower::~Follower() {
  *alive_ = false;
  deps_.loop.cancel(flush_timer_);
  deps_.loop.cancel(dial_timer_);
  deps_.loop.cancel(phase_timer_);
}

void Follower::start(std::function<void(const FollowEnd&)> ended) {
  ended_ = std::move(ended);
  silent_since_ = deps_.loop.now();
  dial();
}

void Follower::dial() {
  Result<std::string> address = deps_.locate();
  if (!address) {
    dial_again(address.error().message);
    return;
  }
  const control::Peer self{.kind = control::Peer::Kind::Owner, .container = {}};
  deps_.transport.dial(*address, self, control::derive_key(options_.secret, self), kDialDeadline,
                       [this, alive = alive_](Result<std::unique_ptr<control::Channel>> channel) {
                         if (*alive) {
                           dialled(std::move(channel));
                         }
                       });
}

void Follower::dialled(Result<std::unique_ptr<control::Channel>> channel) {
  if (over_) {
    return;
  }
  if (!channel) {
    // Once may be a stranger on a dead master's port; again and again it is the right one, and we
    // are the stranger.
    refusals_ = channel.error().code == Errc::Unauthenticated ? refusals_ + 1 : 0;
    if (refusals_ == kRefusalsMax) {
      end({.kind = FollowEnd::Kind::Lost,
           .outcome = std::nullopt,
           .error = fmt::format("the master of {} does not accept this key: {}", options_.job_id,
                                channel.error().message)});
      return;
    }
    dial_again(channel.error().message);
    return;
  }
  channel_ = std::move(*channel);
  channel_->start({.frame = [this](std::string_view frame) { on_frame(frame); },
                   .closed = [this](const Error& reason) { dial_again(reason.message); }});
  wire::ClientHello hello;
  hello.who = options_.who;
  hello.follow_facts = true;
  hello.from_index = next_index_;
  hello.follow_output = options_.output && !muted_;
  channel_->send(wire::encode(wire::ClientFrame{hello}));
  if (stop_wanted_) {
    channel_->send(wire::encode(wire::ClientFrame{wire::StopJob{options_.who}}));
  }
}

void Follower::dial_again(const std::string& reason) {
  if (over_) {
    return;
  }
  if (std::optional<job::Outcome> outcome = deps_.read_outcome()) {
    end({.kind = FollowEnd::Kind::Ended, .outcome = std::move(outcome), .error = {}});
    return;
  }
  const HostTime now = deps_.loop.now();
  if (channel_) {
    // The closed channel is still on the stack of its own callback.
    deps_.loop.post([dead = std::shared_ptr<control::Channel>(std::move(channel_))] {});
    silent_since_ = now;
    dial_delay_ = Duration::zero();
  }
  if (now - silent_since_ >= options_.patience) {
    end({.kind = FollowEnd::Kind::Lost,
         .outcome = std::nullopt,
         .error = fmt::format("no master of {} answered for {}: {}", options_.job_id,
                              format_duration(options_.patience), reason)});
    return;
  }
  dial_delay_ = std::clamp(dial_delay_ * 2, Duration(kDialDelayLow), Duration(kDialDelayHigh));
  dial_timer_ = deps_.loop.call_after(dial_delay_, [this] { dial(); });
  if (!narrates() || now - silent_since_ < seconds(1)) {
    return;
  }
  if (options_.tell_waiting && !deps_.console.screen().err_is_terminal) {
    tell_wait(reason);
    return;
  }
  deps_.console.status(fmt::format("{}: waiting for a master to answer ({}): {}", options_.job_id,
                                   format_duration(now - silent_since_), printable(reason)));
}

void Follower::on_frame(std::string_view frame) {
  if (over_) {
    return;
  }
  Result<wire::ClientEvent> event = wire::decode_client_event(frame);
  if (!event) {
    end({.kind = FollowEnd::Kind::Lost,
         .outcome = std::nullopt,
         .error = "the master sent something this client does not understand: " +
                  event.error().message});
    return;
  }
  std::visit([this](auto& inner) { on_event(inner); }, *event);
}

void Follower::on_event(wire::ClientWelcome& welcome) {
  silent_since_ = deps_.loop.now();
  if (machine_) {
    return;
  }
  Result<job::Plan> plan = deps_.make_plan(welcome.plan_json, welcome.job_id, welcome.seed);
  if (!plan) {
    end({.kind = FollowEnd::Kind::Lost, .outcome = std::nullopt, .error = plan.error().message});
    return;
  }
  machine_.emplace(std::move(*plan));
  folder_.emplace(machine_->plan(), kFoldWindow);
}

void Follower::on_event(wire::FactLogged& logged) {
  if (!machine_ || logged.index < next_index_) {
    return;
  }
  next_index_ = logged.index + 1;
  job_now_ = logged.at;
  job_now_at_ = deps_.loop.now();
  (void)machine_->apply(logged.at, logged.fact);
  if (options_.leave_when_told && std::holds_alternative<job::StopAsked>(logged.fact)) {
    detach();
    return;
  }
  if (!narrates()) {
    return;
  }
  if (std::holds_alternative<job::HeadroomReported>(logged.fact) && channel_ &&
      machine_->state().phase == job::JobPhase::Gathering) {
    // The cluster has looked: what it says to a job that must wait is in the status.
    channel_->send(wire::encode(wire::ClientFrame{wire::StatusAsked{}}));
  }
  if (const std::optional<std::string> line = narrate(*machine_, logged.fact)) {
    deps_.console.err(paint("muster: ", "2", deps_.console.screen().colour) + *line + "\n");
  }
  show_phase();
}

void Follower::on_event(wire::Output& output) {
  if (!folder_ || muted_ || !options_.output) {
    return;
  }
  const job::TaskId task = output.attempt.task;
  const job::State& state = machine_->state();
  if (task.role.value >= state.tasks.size() || task.index >= state.tasks[task.role.value].size()) {
    return;
  }
  const std::optional<wire::Output> fresh = gate_.pass(output, false);
  if (!fresh) {
    return;
  }
  if (deps_.take_output) {
    deps_.take_output(*fresh);
    return;
  }
  const bool is_err = output.stream == wire::OutputStream::Stderr;
  const HostTime now = deps_.loop.now();
  if (fresh->dropped > 0) {
    show(folder_->dropped(task, is_err, fresh->dropped, now));
  }
  show(folder_->feed(task, is_err, fresh->bytes, now));
  arm_flush();
}

/// Said also to those who want no narration: without its log a job stands still.
void Follower::tell_log_trouble(const std::string& trouble) {
  if (trouble == log_trouble_) {
    return;
  }
  log_trouble_ = trouble;
  const bool ends = machine_ && (machine_->state().phase == job::JobPhase::Stopping ||
                                 machine_->state().phase == job::JobPhase::Ended);
  const std::string_view meaning =
      stop_wanted_
          ? "its tasks are stopped within seconds, the job ends within a minute all the same"
      : ends ? "the job ends within a minute all the same"
             : "its tasks go on; starts and restarts wait until there is room again";
  deps_.console.err(trouble.empty()
                        ? "muster: the job's log can be written again\n"
                        : fmt::format("muster: the job's log cannot be written: {}; {}\n",
                                      printable(trouble), meaning));
}

void Follower::on_event(wire::StatusAnswered& status) {
  tell_log_trouble(log_trouble_of(status.json));
  if (!narrates()) {
    return;
  }
  const std::string waits_for = waits_for_of(status.json);
  const bool own_words = machine_ && waits_for == machine_->state().waits_for;
  if (!own_words) {
    tell_wait(waits_for);
  }
}

/// Each reason once; one whose numbers change all the time only now and then.
void Follower::tell_wait(const std::string& reason) {
  const HostTime now = deps_.loop.now();
  const bool numbers_only = same_but_for_numbers(reason, last_wait_);
  if (reason == last_wait_ || (numbers_only && now - last_wait_at_ < kNumbersPause)) {
    return;
  }
  if (!reason.empty()) {
    deps_.console.err("muster: waiting: " + printable(reason) + "\n");
  }
  last_wait_ = reason;
  last_wait_at_ = now;
}

void Follower::on_event(wire::JobEnded& ended) {
  end({.kind = FollowEnd::Kind::Ended, .outcome = std::move(ended.outcome), .error = {}});
}

void Follower::on_event(wire::Refused& refused) {
  deps_.console.err("muster: refused: " + printable(refused.reason) + "\n");
}

void Follower::show(const std::vector<ShownLine>& lines) {
  const bool colour = deps_.console.screen().colour;
  for (const ShownLine& line : lines) {
    const size_t which = line.task.role.value * 3U + line.task.index;
    const std::string prefix =
        paint(line.prefix, kPrefixColours[which % std::size(kPrefixColours)], colour) + " | ";
    const std::string text = prefix + printable(line.text) + "\n";
    if (line.to_err) {
      deps_.console.err(text);
    } else {
      deps_.console.out(text);
    }
  }
}

void Follower::show_phase() {
  const Time now = job_now_ + (deps_.loop.now() - job_now_at_);
  if (deps_.console.screen().err_is_terminal) {
    deps_.console.status(
        machine_->state().phase == job::JobPhase::Ended ? "" : phase_line(*machine_, now));
    if (phase_timer_ == rt::TimerId{}) {
      phase_timer_ = deps_.loop.call_after(kPhaseEvery, [this] {
        phase_timer_ = {};
        if (!over_ && narrates()) {
          show_phase();
        }
      });
    }
    return;
  }
  // Without a terminal one line a phase is enough: logs of batch systems stay short.
  const std::string phase(to_string(machine_->state().phase));
  if (phase != last_phase_) {
    last_phase_ = phase;
    deps_.console.err("muster: " + phase_line(*machine_, now) + "\n");
  }
}

void Follower::arm_flush() {
  deps_.loop.cancel(flush_timer_);
  const HostTime due = folder_->due();
  if (due == HostTime::max()) {
    return;
  }
  flush_timer_ = deps_.loop.call_at(due, [this] {
    show(folder_->flush(deps_.loop.now()));
    arm_flush();
  });
}

void Follower::stop_job() {
  stop_wanted_ = true;
  if (machine_ && narrates()) {
    show_phase();
  }
  if (channel_) {
    channel_->send(wire::encode(wire::ClientFrame{wire::StopJob{options_.who}}));
  }
}

void Follower::mute() {
  if (folder_) {
    show(folder_->finish());
  }
  deps_.loop.cancel(flush_timer_);
  muted_ = true;
}

void Follower::detach() {
  end({.kind = FollowEnd::Kind::Detached, .outcome = std::nullopt, .error = {}});
}

void Follower::end(FollowEnd end) {
  if (over_) {
    return;
  }
  over_ = true;
  if (folder_ && !muted_) {
    show(folder_->finish());
  }
  deps_.console.status("");
  deps_.loop.post([this, alive = alive_, end = std::move(end)] {
    if (*alive) {
      ended_(end);
    }
  });
}

}  // namespace muster::client
