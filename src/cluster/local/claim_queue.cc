#include "cluster/local/claim_queue.h"

#include "cluster/local/machine_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

/// A claim's lock is released a moment after its file was closed, on a busy machine a long moment:
/// check soon after a change, then less and less often.
constexpr Duration kLookSoon = std::chrono::milliseconds(20);
constexpr Duration kLookLatest = std::chrono::seconds(1);

rt::Async<Status> next(rt::Event* event) {
  co_await event->wait();
  co_return Status();
}

}  // namespace

/// One attempt to take a set of claims. Its work runs on a thread of the blocking pool.
struct ClaimQueue::Attempt {
  struct Outcome {
    Result<std::vector<Claim>> claims;
    std::optional<Claim> place;  ///< In the line, if it has just joined it.
  };

  std::vector<job::RequestContainer> set;
  std::vector<Wanted> wanted;  ///< For each of `set`.
};

ClaimQueue::ClaimQueue(Deps deps, Handlers handlers)
    : deps_(std::move(deps)),
      handlers_(std::move(handlers)),
      next_look_(kLookSoon),
      news_(deps_.loop),
      scope_(deps_.loop) {}

Status ClaimQueue::start(uint32_t last_number, std::optional<Capacity> capacity) {
  MUSTER_TRY_STATUS(deps_.claims.open());
  last_number_ = last_number;
  scope_.spawn(serve(capacity));
  return {};
}

void ClaimQueue::add(const job::RequestContainer& request) {
  const bool known =
      std::ranges::any_of(open_, [&](const auto& one) { return one.request == request.request; });
  if (known || claimed_.contains(request.request)) {
    return;
  }
  open_.push_back(request);
  news_.set();  // Handled in a later turn, so that what is asked for in one go is handled together.
}

void ClaimQueue::cancel(job::RequestId request) {
  std::erase_if(open_, [&](const auto& one) { return one.request == request; });
  if (open_.empty()) {
    waits_for_.clear();
    leave_line();
  }
}

void ClaimQueue::cancel_all() {
  open_.clear();
  waits_for_.clear();
  leave_line();
}

void ClaimQueue::leave_line() {
  if (in_line_) {
    ::unlink(in_line_->file.c_str());
    in_line_.reset();
  }
}

rt::Async<> ClaimQueue::serve(std::optional<Capacity> capacity) {
  auto look = [capacity, strict = deps_.plan.spec.local.strict_vcores] {
    return capacity ? *capacity : capacity_of(this_machine(), strict);
  };
  capacity_ = co_await rt::run_blocking(deps_.loop, std::move(look));
  report_headroom();
  while (true) {
    news_.reset();
    refuse_impossible();
    if (open_.empty()) {
      rest();
      co_await news_.wait();
      continue;
    }
    const bool claimed = co_await claim_next();
    if (!claimed && !open_.empty()) {
      co_await wait_for_change();
    }
  }
}

void ClaimQueue::rest() {
  waits_for_.clear();
  leave_line();
  watches_.clear();
}

void ClaimQueue::report_headroom() {
  handlers_.tell(job::HeadroomReported{capacity_.memory_bytes, capacity_.cores, capacity_.gpus,
                                       deps_.plan.spec.local.hosts});
}

void ClaimQueue::refuse_impossible() {
  std::erase_if(open_, [&](const job::RequestContainer& request) {
    const Share share{request.resources.memory_bytes, request.resources.vcores,
                      request.resources.gpus};
    const std::string reason = missing_ever(capacity_, share);
    if (reason.empty()) {
      return false;
    }
    handlers_.tell(job::RequestRefused{request.request, job::RefusalKind::NeverFits,
                                       deps_.plan.role(request.role).name + ": " + reason});
    return true;
  });
}

bool ClaimQueue::is_elastic_extra(const job::RequestContainer& request,
                                  std::map<uint16_t, uint32_t>& counts) const {
  const job::RolePlan& role = deps_.plan.role(request.role);
  const uint32_t needed =
      (role.tasks_min + role.tasks_per_container - 1) / role.tasks_per_container;
  return counts[request.role.value]++ >= needed;
}

/// Returns the requests that get claims together or not at all.
std::vector<job::RequestContainer> ClaimQueue::next_set() const {
  if (deps_.plan.barrier == spec::Barrier::AsGranted) {
    return {open_.front()};
  }
  std::vector<job::RequestContainer> set;
  std::map<uint16_t, uint32_t> counts;
  for (const job::RequestContainer& request : open_) {
    if (!is_elastic_extra(request, counts)) {
      set.push_back(request);
    }
  }
  return set;
}

ClaimQueue::Attempt ClaimQueue::next_attempt() const {
  Attempt attempt{.set = next_set(), .wanted = {}};
  uint32_t number = last_number_;
  for (const job::RequestContainer& request : attempt.set) {
    attempt.wanted.push_back(
        {deps_.plan.job.value,
         fmt::format("c{}", ++number),
         {request.resources.memory_bytes, request.resources.vcores, request.resources.gpus}});
  }
  return attempt;
}

/// Returns whether claims were taken.
rt::Async<bool> ClaimQueue::claim_next() {
  Attempt attempt = next_attempt();
  auto work = [claims = deps_.claims, capacity = capacity_, wanted = attempt.wanted,
               in_line = in_line_.has_value()] {
    Attempt::Outcome outcome{.claims = claims.take(capacity, wanted), .place = {}};
    if (!outcome.claims.has_value() && !in_line) {
      // Without a place it still waits, but may be overtaken.
      if (Result<Claim> place = claims.queue(wanted); place.has_value()) {
        outcome.place = std::move(*place);
      }
    }
    return outcome;
  };
  Attempt::Outcome outcome = co_await rt::run_blocking(deps_.loop, std::move(work));
  if (outcome.place) {
    in_line_ = std::move(outcome.place);
  }
  if (outcome.claims.has_value() || open_.empty()) {
    leave_line();
  }
  if (outcome.claims.has_value()) {
    hand_over(attempt, *std::move(outcome.claims));
    co_return true;
  }
  if (!open_.empty() && waits_for_ != outcome.claims.error().message) {
    waits_for_ = outcome.claims.error().message;
    report_headroom();  // A new fact: whatever shows what the job waits for is updated.
  }
  co_return false;
}

void ClaimQueue::hand_over(Attempt& attempt, std::vector<Claim> claims) {
  last_number_ += static_cast<uint32_t>(attempt.set.size());
  for (size_t i = 0; i < attempt.set.size(); ++i) {
    const job::RequestId request = attempt.set[i].request;
    const bool wanted =
        std::erase_if(open_, [&](const auto& one) { return one.request == request; }) > 0;
    if (!wanted) {
      ::unlink(claims[i].file.c_str());
      continue;
    }
    claimed_.insert(request);
    handlers_.claimed(attempt.set[i], job::ContainerId{attempt.wanted[i].container},
                      std::move(claims[i]));
  }
}

rt::Async<> ClaimQueue::wait_for_change() {
  if (watches_.empty()) {
    for (const std::filesystem::path& folder : deps_.claims.folders()) {
      auto changed = [this] {
        claims_changed_ = true;
        news_.set();
      };
      if (auto watch = os::watch_file(deps_.loop, folder, changed); watch.has_value()) {
        watches_.push_back(std::move(*watch));
      }
    }
    if (!watches_.empty()) {
      co_return;  // Something may have changed before the watches were there.
    }
  }
  const HostTime until = deps_.loop.now() + next_look_;
  next_look_ = std::min<Duration>(next_look_ * 2, kLookLatest);
  (void)co_await rt::with_deadline(deps_.loop, until, "a claim", next(&news_));
  if (std::exchange(claims_changed_, false)) {
    next_look_ = kLookSoon;
    co_await rt::pause_for(deps_.loop, kLookSoon);
  }
}

}  // namespace muster::cluster::local
