#include "master/ending.h"

#include "account/host_book.h"
#include "rt/scope.h"

#include <string>

namespace muster::master {
namespace {

/// Masters must be gone two seconds after their job, so what has not answered by then is left
/// behind.
constexpr Duration kLeaveMax = std::chrono::milliseconds(1500);
constexpr Duration kAudienceMax = std::chrono::milliseconds(500);
constexpr Duration kSamplesMax = std::chrono::seconds(1);
constexpr Duration kHostsMax = std::chrono::seconds(1);

}  // namespace

void Ending::begin(const job::Outcome& outcome) {
  if (std::exchange(begun_, true)) {
    return;
  }
  // Clients hear of the end first: the rest is only cleaning up, for which nobody should wait.
  deps_.report.write_summary();
  deps_.clients.end(outcome);
  deps_.agents.dismiss_all();
  running_ = rt::start(deps_.loop, end(outcome), [this, outcome] { on_over_(outcome); });
}

rt::Async<> Ending::end(job::Outcome outcome) {
  co_await finish_all();
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kLeaveMax, "the end",
                                   leave(&outcome));
}

/// Does what must be over before the job leaves its cluster: after that its folder is read, a proxy
/// answers for it, and, if the cluster starts another master, that one reports what this one did
/// not. All at once, each within its own bound: with HDFS each of them takes a call or more, and
/// one that hangs must not hold up the others.
rt::Async<> Ending::finish_all() {
  rt::Scope scope(deps_.loop);
  scope.spawn(tell_audience());
  scope.spawn(finish_samples());
  scope.spawn(remember_hosts());
  scope.spawn(deps_.notices.finish());
  co_await scope.drained();
}

rt::Async<> Ending::tell_audience() {
  if (!audience_served()) {
    (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kAudienceMax, "the audience",
                                     serve_audience());
  }
}

/// The tracker reports what the samples hold, once they are complete.
rt::Async<> Ending::finish_samples() {
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kSamplesMax, "the samples",
                                   deps_.samples.finish());
  if (deps_.tracker != nullptr) {
    co_await deps_.tracker->finish();
  }
}

// If some of this is lost, it costs the next jobs some advice.
rt::Async<> Ending::remember_hosts() {
  if (deps_.hosts == nullptr) {
    co_return;
  }
  std::string line = account::host_line(deps_.machine, deps_.loop.wall_now());
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kHostsMax, "what hosts did",
                                   deps_.hosts->add(std::move(line)));
}

rt::Async<Status> Ending::serve_audience() {
  while (!audience_served()) {
    co_await told_.wait();
  }
  co_return Status();
}

rt::Async<Status> Ending::leave(const job::Outcome* outcome) {
  auto begin = [this, outcome](rt::Answer<bool> answer) {
    deps_.link.finish(*outcome, [answer = std::move(answer)] { answer(true); });
  };
  (void)co_await rt::from_callback<bool>(deps_.loop, std::move(begin));
  while (!all_told()) {
    co_await told_.wait();
  }
  co_return Status();
}

bool Ending::all_told() const {
  return deps_.clients.empty() && (deps_.clients.had_follower() || !awaits_follower_) &&
         audience_served();
}

}  // namespace muster::master
