#include "cluster/local/local_link.h"

#include "cluster/local/machine_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr Duration kRetry = std::chrono::seconds(1);
constexpr Duration kSoon = std::chrono::milliseconds(20);

}  // namespace

/// One try to take a set of claims, on its way through the pool.
struct LocalLink::Taking {
  std::vector<job::RequestContainer> set;
  std::vector<Wanted> wanted;
  bool in_line = false;  ///< The job stands in line already.
  Result<std::vector<Claim>> claims = std::vector<Claim>{};
  std::optional<Claim> place;  ///< In the line, when it came to stand there just now.
};

LocalLink::LocalLink(rt::IoLoop& loop, os::Files& files, log::Sink& log, LocalLinkOptions options)
    : loop_(loop),
      files_(files),
      log_(log),
      options_(std::move(options)),
      claims_(options_.claims) {}

LocalLink::~LocalLink() {
  *alive_ = false;
  leave_line();
  loop_.cancel(retry_);
  loop_.cancel(finish_timer_);
  for (const auto& [id, container] : containers_) {
    loop_.cancel(container.timer);
  }
}

Status LocalLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  on_fact_ = std::move(on_fact);
  MUSTER_TRY_STATUS(claims_.open());
  last_number_ = highest_container(files_, options_.folder.containers());
  for (const job::ContainerId& id : known) {
    Container& container = containers_[id];
    container.record.container = id;
    const Result<ContainerRecord> record = read_record(files_, options_.folder.containers(), id);
    if (record.has_value()) {
      container.record = *record;
    }
    if (stub_lives(container)) {
      watch_stub(container);
    } else {
      loop_.post([this, id, alive = alive_] {
        if (*alive) {
          on_stub_ended(id);
        }
      });
    }
  }
  auto capacity = std::make_shared<Capacity>();
  auto look = [capacity, given = options_.capacity,
               strict = options_.plan->spec.local.strict_vcores] {
    *capacity = given ? *given : capacity_of(this_machine(), strict);
  };
  loop_.run_blocking(look, [this, capacity, alive = alive_] {
    if (!*alive) {
      return;
    }
    capacity_ = *capacity;
    ready_ = true;
    report_headroom();
    pump();
  });
  return {};
}

void LocalLink::tell(job::Fact fact) {
  loop_.post([this, fact = std::move(fact), alive = alive_]() mutable {
    if (*alive) {
      on_fact_(std::move(fact));
    }
  });
}

// ---- asking and granting

void LocalLink::request(const job::RequestContainer& request) {
  const bool open = std::ranges::any_of(
      pending_, [&](const auto& one) { return one.request == request.request; });
  if (open || granted_.contains(request.request)) {
    return;
  }
  pending_.push_back(request);
  if (!pump_posted_) {
    // Later, so that what is asked for in one go is seen together.
    pump_posted_ = true;
    loop_.post([this, alive = alive_] {
      if (*alive) {
        pump_posted_ = false;
        pump();
      }
    });
  }
}

void LocalLink::cancel(job::RequestId request) {
  std::erase_if(pending_, [&](const auto& one) { return one.request == request; });
  if (pending_.empty()) {
    waits_for_.clear();
    leave_line();
  }
}

void LocalLink::leave_line() {
  if (in_line_) {
    ::unlink(in_line_->file.c_str());
    in_line_.reset();
  }
}

void LocalLink::refuse_impossible() {
  std::erase_if(pending_, [&](const job::RequestContainer& request) {
    const Share share{request.resources.memory_bytes, request.resources.vcores,
                      request.resources.gpus};
    const std::string reason = missing_ever(capacity_, share);
    if (reason.empty()) {
      return false;
    }
    tell(job::RequestRefused{request.request, job::RefusalKind::NeverFits,
                             options_.plan->role(request.role).name + ": " + reason});
    return true;
  });
}

bool LocalLink::is_elastic_extra(const job::RequestContainer& request,
                                 std::map<uint16_t, uint32_t>& counts) const {
  const job::RolePlan& role = options_.plan->role(request.role);
  const uint32_t needed =
      (role.tasks_min + role.tasks_per_container - 1) / role.tasks_per_container;
  return counts[request.role.value]++ >= needed;
}

/// The requests to be granted together or not at all.
std::vector<job::RequestContainer> LocalLink::next_set() const {
  if (options_.plan->barrier == spec::Barrier::AsGranted) {
    return {pending_.front()};
  }
  std::vector<job::RequestContainer> set;
  std::map<uint16_t, uint32_t> counts;
  for (const job::RequestContainer& request : pending_) {
    if (!is_elastic_extra(request, counts)) {
      set.push_back(request);
    }
  }
  return set;
}

void LocalLink::report_headroom() {
  tell(job::HeadroomReported{capacity_.memory_bytes, capacity_.cores, capacity_.gpus,
                             options_.plan->spec.local.hosts});
}

void LocalLink::pump() {
  if (!ready_ || taking_) {
    return;
  }
  refuse_impossible();
  if (pending_.empty()) {
    waits_for_.clear();
    leave_line();
    claims_watch_.reset();
    loop_.cancel(std::exchange(retry_, {}));
    return;
  }
  auto taking = std::make_shared<Taking>();
  taking->set = next_set();
  for (const job::RequestContainer& request : taking->set) {
    taking->wanted.push_back(
        {options_.plan->job.value,
         fmt::format("c{}", ++last_number_),
         {request.resources.memory_bytes, request.resources.vcores, request.resources.gpus}});
  }
  taking->in_line = in_line_.has_value();
  taking_ = true;
  auto work = [taking, claims = claims_, capacity = capacity_] {
    taking->claims = claims.take(capacity, taking->wanted);
    if (taking->claims.has_value() || taking->in_line) {
      return;
    }
    // Without a place it waits all the same, and may be overtaken.
    if (Result<Claim> place = claims.queue(taking->wanted); place.has_value()) {
      taking->place = std::move(*place);
    }
  };
  loop_.run_blocking(std::move(work), [this, taking, alive = alive_] {
    if (*alive) {
      on_taken(*taking);
    }
  });
}

void LocalLink::on_taken(Taking& taking) {
  taking_ = false;
  if (taking.place) {
    in_line_ = std::move(taking.place);
  }
  if (taking.claims.has_value() || pending_.empty()) {
    leave_line();
  }
  if (taking.claims.has_value()) {
    for (size_t i = 0; i < taking.set.size(); ++i) {
      Claim& claim = (*taking.claims)[i];
      const bool wanted = std::erase_if(pending_, [&](const auto& one) {
                            return one.request == taking.set[i].request;
                          }) > 0;
      if (wanted) {
        grant(taking.set[i], job::ContainerId{taking.wanted[i].container}, std::move(claim));
      } else {
        ::unlink(claim.file.c_str());
      }
    }
    pump();  // For those that are left, or to wait no longer.
    return;
  }
  last_number_ -= static_cast<uint32_t>(taking.set.size());
  if (pending_.empty()) {
    return;
  }
  if (waits_for_ != taking.claims.error().message) {
    waits_for_ = taking.claims.error().message;
    report_headroom();  // A new fact: those who show what the job waits for look again.
  }
  if (claims_watch_ == nullptr) {
    // A claim's lock goes a moment after its file was closed, on a busy machine a long one: look
    // soon, then less and less often.
    auto changed = [this] {
      next_look_ = kSoon;
      loop_.cancel(retry_);
      retry_ = loop_.call_after(kSoon, [this] { pump(); });
    };
    if (auto watch = os::watch_file(loop_, claims_.folder(), changed); watch.has_value()) {
      claims_watch_ = std::move(*watch);
      pump();  // Something may have changed before the watch was there.
      return;
    }
  }
  loop_.cancel(retry_);
  retry_ = loop_.call_after(next_look_, [this] { pump(); });
  next_look_ = std::min<Duration>(next_look_ * 2, kRetry);
}

void LocalLink::grant(const job::RequestContainer& request, const job::ContainerId& id,
                      Claim claim) {
  Container container;
  container.record.container = id;
  container.record.host = pick_host(request);
  container.record.claim_file = claim.file;
  container.claim = std::move(claim.lock);
  container.gpus = std::move(claim.gpus);
  if (const Status written = write_record(files_, options_.folder.containers(), container.record);
      !written.has_value()) {
    ::unlink(claim.file.c_str());
    tell(
        job::RequestRefused{request.request, job::RefusalKind::Transient, written.error().message});
    return;
  }
  log_.info("container.granted", {{"container", id.value}, {"host", container.record.host.value}});
  granted_[request.request] = id;
  tell(job::ContainerGranted{request.request, id, container.record.host});
  containers_[id] = std::move(container);
}

job::HostName LocalLink::pick_host(const job::RequestContainer& request) const {
  std::map<job::HostName, int64_t> cost;
  const uint32_t hosts = std::max(1U, options_.plan->spec.local.hosts);
  for (uint32_t number = 1; number <= hosts; ++number) {
    cost[job::HostName{fmt::format("h{}", number)}] = 0;
  }
  constexpr int64_t kAvoided = 1'000'000'000;
  constexpr int64_t kPreferred = -1'000'000;
  for (size_t i = 0; i < request.avoid.size(); ++i) {
    if (const auto host = cost.find(request.avoid[i]); host != cost.end()) {
      host->second += kAvoided * static_cast<int64_t>(request.avoid.size() - i);  // Worst first.
    }
  }
  for (const job::HostName& name : request.prefer) {
    if (const auto host = cost.find(name); host != cost.end()) {
      host->second += kPreferred;
    }
  }
  for (const auto& [id, container] : containers_) {
    if (const auto host = cost.find(container.record.host); host != cost.end() && !container.told) {
      ++host->second;
    }
  }
  const auto best = std::ranges::min_element(cost, [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first.value.size()) < std::pair(b.second, b.first.value.size());
  });
  return best->first;
}

}  // namespace muster::cluster::local
