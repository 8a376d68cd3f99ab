#include "cluster/local/local_link.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "cluster/agent_launch.h"
#include "cluster/local/machine_capacity.h"
#include "os/spawn.h"

namespace muster::cluster::local {
namespace {

constexpr Duration kRetry = std::chrono::seconds(1);
constexpr Duration kSoon = std::chrono::milliseconds(20);
constexpr Duration kTermGrace = std::chrono::seconds(2);
constexpr Duration kClaimLook = std::chrono::milliseconds(5);
constexpr int kClaimLooksMax = 1000;
constexpr Duration kFinishMax = std::chrono::seconds(5);
constexpr size_t kLastWordsBytes = 2048;
constexpr int kOrderFd = 3;
constexpr int kClaimFd = 4;

}  // namespace

/// One try to take a set of claims, on its way through the pool.
struct LocalLink::Taking {
  std::vector<job::RequestContainer> set;
  std::vector<Wanted> wanted;
  Result<std::vector<Claim>> claims = std::vector<Claim>{};
};

LocalLink::LocalLink(rt::IoLoop& loop, os::Files& files, log::Sink& log, LocalLinkOptions options)
    : loop_(loop), files_(files), log_(log), options_(std::move(options)), claims_(options_.claims) {}

LocalLink::~LocalLink() {
  *alive_ = false;
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
  auto look = [capacity, given = options_.capacity, strict = options_.plan->spec.local.strict_vcores] {
    *capacity = given ? *given : capacity_of(this_machine(), strict);
  };
  loop_.run_blocking(look, [this, capacity, alive = alive_] {
    if (!*alive) {
      return;
    }
    capacity_ = *capacity;
    ready_ = true;
    tell(job::HeadroomReported{capacity_.memory_bytes, capacity_.cores, capacity_.gpus,
                               options_.plan->spec.local.hosts});
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

// ---- asking and granting ------------------------------------------------------------------------------------------

void LocalLink::request(const job::RequestContainer& request) {
  const bool open = std::ranges::any_of(pending_, [&](const auto& one) { return one.request == request.request; });
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
  }
}

void LocalLink::refuse_impossible() {
  std::erase_if(pending_, [&](const job::RequestContainer& request) {
    const Share share{request.resources.memory_bytes, request.resources.vcores, request.resources.gpus};
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
  const uint32_t needed = (role.tasks_min + role.tasks_per_container - 1) / role.tasks_per_container;
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

void LocalLink::pump() {
  if (!ready_ || taking_) {
    return;
  }
  refuse_impossible();
  if (pending_.empty()) {
    waits_for_.clear();
    claims_watch_.reset();
    loop_.cancel(std::exchange(retry_, {}));
    return;
  }
  auto taking = std::make_shared<Taking>();
  taking->set = next_set();
  for (const job::RequestContainer& request : taking->set) {
    taking->wanted.push_back({options_.plan->job.value, fmt::format("c{}", ++last_number_),
                              {request.resources.memory_bytes, request.resources.vcores, request.resources.gpus}});
  }
  taking_ = true;
  auto work = [taking, claims = claims_, capacity = capacity_] {
    taking->claims = claims.take(capacity, taking->wanted);
  };
  loop_.run_blocking(std::move(work), [this, taking, alive = alive_] {
    if (*alive) {
      on_taken(*taking);
    }
  });
}

void LocalLink::on_taken(Taking& taking) {
  taking_ = false;
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
    if (!pending_.empty()) {
      pump();
    }
    return;
  }
  last_number_ -= static_cast<uint32_t>(taking.set.size());
  if (pending_.empty()) {
    return;
  }
  waits_for_ = taking.claims.error().message;
  if (claims_watch_ == nullptr) {
    // A claim's lock goes a moment after its file was closed: look at once and a little later.
    auto changed = [this] {
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
  retry_ = loop_.call_after(kRetry, [this] { pump(); });
}

void LocalLink::grant(const job::RequestContainer& request, const job::ContainerId& id, Claim claim) {
  Container container;
  container.record.container = id;
  container.record.host = pick_host(request);
  container.record.claim_file = claim.file;
  container.claim = std::move(claim.lock);
  container.gpus = std::move(claim.gpus);
  if (const Status written = write_record(files_, options_.folder.containers(), container.record);
      !written.has_value()) {
    ::unlink(claim.file.c_str());
    tell(job::RequestRefused{request.request, job::RefusalKind::Transient, written.error().message});
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

// ---- containers -----------------------------------------------------------------------------------------------------

void LocalLink::launch(const LaunchOrder& order) {
  const auto found = containers_.find(order.container);
  if (found == containers_.end() || found->second.record.stub_pid != 0 || found->second.released) {
    return;
  }
  Container& container = found->second;
  if (const Status spawned = spawn_stub(container, order); !spawned.has_value()) {
    log_.warning("container.not-launched",
                 {{"container", order.container.value}, {"error", spawned.error().message}});
    tell(job::LaunchFailed{order.container, spawned.error().message});
    return;
  }
  watch_stub(container);
}

Status LocalLink::spawn_stub(Container& container, const LaunchOrder& order) {
  AgentLaunch launch;
  launch.order = order;
  launch.order.host = container.record.host;
  launch.job_folder = options_.folder.root().string();
  launch.listen_host = "127.0.0.1";
  launch.gpus = container.gpus;
  launch.orphan = options_.plan->liveness.orphan;
  const std::string text = encode(launch);
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return system_error(errno, "no pipe for the agent's order");
  }
  const rt::Fd read_end(pipe_fds[0]);
  rt::Fd write_end(pipe_fds[1]);
  MUSTER_CHECK(text.size() <= kAgentLaunchMax, "a launch order is too long for a pipe");
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error(errno, "the agent's order cannot be written");
  }
  write_end.reset();
  os::SpawnOptions spawn;
  spawn.argv = {options_.program.string(), "keeper",
                "--order-fd",              std::to_string(kOrderFd),
                "--claim-fd",              std::to_string(kClaimFd),
                "--claim-file",            container.record.claim_file};
  spawn.env = os::own_environment();
  spawn.folder = options_.folder.root();
  spawn.stdout_to = os::ToFile{log_path(order.container)};
  spawn.stderr_to = os::ToFile{log_path(order.container)};
  spawn.grouping = os::Grouping::NewSession;
  spawn.keep = {{read_end.get(), kOrderFd}, {container.claim.get(), kClaimFd}};
  MUSTER_TRY(const os::Spawned spawned, os::spawn(spawn));
  container.record.stub_pid = spawned.pid.value;
  container.record.start_ticks = start_ticks_of(spawned.pid.value);
  container.claim.reset();  // The container's own processes hold it now.
  return write_record(files_, options_.folder.containers(), container.record);
}

void LocalLink::watch_stub(Container& container) {
  auto ended = [this, id = container.record.container] { on_stub_ended(id); };
  auto watch = os::watch_exit(loop_, os::Pid{container.record.stub_pid}, ended);
  if (watch.has_value()) {
    container.exit = std::move(*watch);
    return;
  }
  loop_.post([this, id = container.record.container, alive = alive_] {
    if (*alive) {
      on_stub_ended(id);
    }
  });
}

void LocalLink::on_stub_ended(const job::ContainerId& id) {
  Container& container = containers_.at(id);
  if (container.stub_ended) {
    return;
  }
  container.stub_ended = true;
  if (container.record.stub_pid != 0) {
    const auto exit = os::try_reap(os::Pid{container.record.stub_pid});
    if (exit.has_value() && exit->has_value()) {
      container.exit_code = (*exit)->code;
      container.signal = (*exit)->signal;
    }
  }
  look_at_claim(id);
}

/// A killed stub is gone before the rest of its container: that is when the claim is free.
void LocalLink::look_at_claim(const job::ContainerId& id) {
  Container& container = containers_.at(id);
  container.claim.reset();
  if (ClaimFolder::is_held(container.record.claim_file) && ++container.looks < kClaimLooksMax) {
    container.timer = loop_.call_after(kClaimLook, [this, id] { look_at_claim(id); });
    return;
  }
  if (!container.record.claim_file.empty()) {
    ::unlink(container.record.claim_file.c_str());
  }
  tell_ended(container);
}

void LocalLink::tell_ended(Container& container) {
  if (container.told) {
    return;
  }
  container.told = true;
  container.exit.reset();
  job::ContainerEnded ended;
  ended.container = container.record.container;
  ended.exit_code = container.exit_code;
  if (container.released) {
    ended.kind = job::ContainerEndKind::Released;
  } else if (container.signal || container.exit_code.value_or(0) > 128) {
    ended.kind = job::ContainerEndKind::Killed;
    ended.diagnostics = last_words(container.record.container);
  } else if (container.exit_code.value_or(0) != 0) {
    ended.diagnostics = last_words(container.record.container);
  }
  log_.info("container.ended", {{"container", ended.container.value},
                                {"kind", job::to_string(ended.kind)},
                                {"code", container.exit_code.value_or(0)}});
  tell(ended);
  check_finished();
}

void LocalLink::release(const job::ContainerId& id) {
  const auto found = containers_.find(id);
  if (found == containers_.end() || found->second.released || found->second.told) {
    return;
  }
  Container& container = found->second;
  container.released = true;
  if (container.record.stub_pid == 0) {
    loop_.post([this, id, alive = alive_] {
      if (*alive) {
        on_stub_ended(id);
      }
    });
    return;
  }
  signal_stub(container, SIGTERM);
  container.timer = loop_.call_after(kTermGrace, [this, id] {
    const Container& late = containers_.at(id);
    if (!late.stub_ended) {
      signal_stub(late, SIGKILL);
    }
  });
}

void LocalLink::reconcile() {
  for (auto& [id, container] : containers_) {
    if (!container.told && container.record.stub_pid != 0 && !stub_lives(container)) {
      loop_.post([this, gone = id, alive = alive_] {
        if (*alive) {
          on_stub_ended(gone);
        }
      });
    }
  }
}

bool LocalLink::known_dead(const job::ContainerId& id) const {
  const auto found = containers_.find(id);
  if (found == containers_.end()) {
    return true;
  }
  const Container& container = found->second;
  return container.told || container.stub_ended ||
         (container.record.stub_pid != 0 && !stub_lives(container));
}

bool LocalLink::stub_lives(const Container& container) const {
  return container.record.stub_pid != 0 && container.record.start_ticks != 0 &&
         start_ticks_of(container.record.stub_pid) == container.record.start_ticks;
}

void LocalLink::signal_stub(const Container& container, int signal) const {
  if (stub_lives(container)) {
    ::kill(container.record.stub_pid, signal);
  }
}

std::filesystem::path LocalLink::log_path(const job::ContainerId& id) const {
  return options_.folder.containers() / (id.value + ".log");
}

std::string LocalLink::last_words(const job::ContainerId& id) const {
  const Result<os::FileStat> stat = files_.stat(log_path(id));
  if (!stat.has_value()) {
    return "";
  }
  const uint64_t offset = stat->size_bytes - std::min<uint64_t>(stat->size_bytes, kLastWordsBytes);
  const Result<std::string> text = files_.read_part(log_path(id), offset, kLastWordsBytes);
  return text.has_value() ? std::string(trim(*text)) : "";
}

void LocalLink::finish(const job::Outcome&, std::function<void()> done) {
  finished_ = std::move(done);
  pending_.clear();
  for (const auto& [id, container] : containers_) {
    release(id);
  }
  finish_timer_ = loop_.call_after(kFinishMax, [this] {
    if (const auto call = std::exchange(finished_, nullptr)) {
      call();
    }
  });
  check_finished();
}

void LocalLink::check_finished() {
  const bool all_gone =
      std::ranges::all_of(containers_, [](const auto& entry) { return entry.second.told; });
  if (finished_ == nullptr || !all_gone) {
    return;
  }
  loop_.cancel(std::exchange(finish_timer_, {}));
  loop_.post([call = std::exchange(finished_, nullptr)] { call(); });
}

}  // namespace muster::cluster::local
