#include "master/ending.h"

namespace muster::master {
namespace {

/// Masters are gone two seconds after their job: what has not answered by then is left behind.
constexpr Duration kLeaveMax = std::chrono::milliseconds(1500);
constexpr Duration kAudienceMax = std::chrono::milliseconds(500);
constexpr Duration kSamplesMax = std::chrono::seconds(1);

}  // namespace

void Ending::begin(const job::Outcome& outcome) {
  if (std::exchange(begun_, true)) {
    return;
  }
  // Clients hear of the end first: the rest is only tidying up, which nobody should wait for.
  deps_.report.write_summary();
  deps_.clients.end(outcome);
  deps_.agents.dismiss_all();
  running_ = rt::start(deps_.loop, end(outcome), [this, outcome] { on_over_(outcome); });
}

rt::Async<> Ending::end(job::Outcome outcome) {
  if (!audience_served()) {
    (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kAudienceMax, "the audience",
                                     serve_audience());
  }
  // Before the job leaves its cluster: the folder is read then.
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kSamplesMax, "the samples",
                                   deps_.samples.finish());
  // Before that, too: where the cluster starts another master, it tells what this one did not.
  co_await deps_.notices.finish();
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kLeaveMax, "the end",
                                   leave(&outcome));
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
