#include "hadoop/yarn/application_master.h"

#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_master.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Method kRegister{.name = "registerApplicationMaster",
                           .repetition = Repetition::Idempotent};
// Repeated with the same response id, it returns the stored answer.
constexpr Method kAllocate{.name = "allocate", .repetition = Repetition::AtMostOnce};
constexpr Method kFinish{.name = "finishApplicationMaster", .repetition = Repetition::AtMostOnce};

// A resource manager that forgets us more often within one heartbeat is not healthy.
constexpr int kResyncsMax = 3;
constexpr Duration kFinishPause = std::chrono::milliseconds(100);

bool has_forgotten_us(const rpc::Failure& failure) {
  return failure.is("ApplicationMasterNotRegisteredException");
}

bool knows_us_already(const rpc::Failure& failure) {
  return failure.is("InvalidApplicationMasterRequestException") &&
         failure.error.message.find("already registered") != std::string::npos;
}

bool is_over(const rpc::Failure& failure) {
  return failure.is("ApplicationAttemptNotFoundException") ||
         failure.is("ApplicationNotFoundException");
}

Error told_to_stop() {
  return cluster_error("the resource manager has told the application master to stop",
                       Errc::NotFound);
}

// What the answer said, including the containers of earlier attempts, is never sent again.
Error answer_was_lost() {
  return cluster_error(
      "the resource manager has registered this application master, but its response was lost: the "
      "next attempt registers anew",
      Errc::NotFound);
}

Error damaged(std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Cluster,
          .message = fmt::format("the resource manager sent a malformed response: {}", what)};
}

// Everything depends on the ids.
Status check(const pb::AllocateResponse& from) {
  const auto incomplete = [](const pb::Container& container) {
    return !container.has_id() || !container.has_node_id() || !container.has_container_token();
  };
  if (std::ranges::any_of(from.allocated_containers(), incomplete)) {
    return damaged("a granted container has no id, node or token");
  }
  if (std::ranges::any_of(from.containers_from_previous_attempts(), incomplete)) {
    return damaged("a container of an earlier attempt has no id, node or token");
  }
  if (!std::ranges::all_of(from.completed_container_statuses(),
                           &pb::ContainerStatus::has_container_id)) {
    return damaged("a completed container has no id");
  }
  return {};
}

template <class To, class From>
std::vector<To> decode_all(const From& from) {
  std::vector<To> to;
  to.reserve(static_cast<size_t>(from.size()));
  for (const auto& one : from) {
    to.push_back(decode(one));
  }
  return to;
}

template <class Tokens>
std::vector<NodeToken> decode_tokens(const Tokens& from) {
  std::vector<NodeToken> to;
  for (const auto& entry : from) {
    to.push_back({.node = decode(entry.node_id()), .token = decode(entry.token())});
  }
  return to;
}

// Those that will be taken whatever we do, then those that we could keep by giving back others.
std::vector<ContainerId> decode_preempted(const pb::PreemptionMessage& from) {
  std::vector<ContainerId> to;
  for (const auto& container : from.strict_contract().container()) {
    to.push_back(decode(container.id()));
  }
  for (const auto& container : from.contract().container()) {
    to.push_back(decode(container.id()));
  }
  return to;
}

pb::RegisterApplicationMasterRequest registration_of(const MasterPresence& presence) {
  pb::RegisterApplicationMasterRequest request;
  request.set_host(presence.host);
  request.set_rpc_port(presence.rpc_port);
  request.set_tracking_url(presence.tracking_url);
  return request;
}

/// A resource manager that does not say what it compares is assumed to compare everything.
bool counts_vcores(const pb::RegisterApplicationMasterResponse& reply) {
  const auto& types = reply.scheduler_resource_types();
  return types.empty() || std::ranges::find(types, pb::CPU) != types.end();
}

}  // namespace

rt::Async<Result<Registration>> ApplicationMaster::register_self(MasterPresence presence,
                                                                 HostTime deadline) {
  presence_ = std::move(presence);
  auto request = registration_of(presence_);
  auto replied = co_await call<pb::RegisterApplicationMasterResponse>(proxy_, kRegister,
                                                                      std::move(request), deadline);
  if (!replied.has_value()) {
    co_return knows_us_already(replied.error())
        ? answer_was_lost()
        : explain(replied.error(), "cannot register the application master");
  }
  const auto& reply = *replied;
  Registration registration{.largest = decode(reply.maximum_capability()),
                            .queue = reply.queue(),
                            .counts_vcores = counts_vcores(reply),
                            .kept = decode_all<Grant>(reply.containers_from_previous_attempts()),
                            .node_tokens = decode_tokens(reply.nm_tokens_from_previous_attempts())};
  book_.resync();
  book_.adopt(registration.kept);
  co_return registration;
}

rt::Async<Status> ApplicationMaster::register_again(HostTime deadline) {
  auto request = registration_of(presence_);
  auto replied = co_await call<pb::RegisterApplicationMasterResponse>(proxy_, kRegister,
                                                                      std::move(request), deadline);
  if (!replied.has_value() && !knows_us_already(replied.error())) {
    co_return explain(replied.error(), "cannot register the application master again");
  }
  book_.resync();
  co_return Status();
}

rt::Async<Result<Heartbeat>> ApplicationMaster::heartbeat(HostTime deadline) {
  bool resynced = false;
  for (int tries = 0;; ++tries) {
    pb::AllocateRequest request = book_.begin();
    auto replied =
        co_await call<pb::AllocateResponse>(proxy_, kAllocate, std::move(request), deadline);
    const bool forgotten = replied.has_value() ? replied->has_am_command() &&
                                                     replied->am_command() == pb::AM_COMMAND_RESYNC
                                               : has_forgotten_us(replied.error());
    if (!forgotten && !replied.has_value()) {
      co_return explain(replied.error(), "the heartbeat to the resource manager failed");
    }
    if (!forgotten) {
      MUSTER_CO_TRY(auto heartbeat, take(*replied));
      heartbeat.resynced = resynced;
      co_return heartbeat;
    }
    if (tries == kResyncsMax) {
      co_return cluster_error("the resource manager keeps forgetting the application master",
                              Errc::Other);
    }
    auto again = co_await register_again(deadline);
    MUSTER_CO_TRY_STATUS(std::move(again));
    resynced = true;
  }
}

Result<Heartbeat> ApplicationMaster::take(const pb::AllocateResponse& answer) {
  MUSTER_TRY_STATUS(check(answer));
  if (answer.has_am_command() && answer.am_command() == pb::AM_COMMAND_SHUTDOWN) {
    return told_to_stop();
  }
  if (answer.has_am_rm_token()) {
    token_->replace(decode(answer.am_rm_token()));
  }
  Heartbeat heartbeat{.harvest = book_.accept(answer),
                      .kept = decode_all<Grant>(answer.containers_from_previous_attempts()),
                      .updated_nodes = decode_all<NodeReport>(answer.updated_nodes()),
                      .cluster_nodes = answer.num_cluster_nodes(),
                      .headroom = {},
                      .preempted = decode_preempted(answer.preempt()),
                      .node_tokens = decode_tokens(answer.nm_tokens())};
  if (answer.has_limit()) {
    heartbeat.headroom = decode(answer.limit());
  }
  book_.adopt(heartbeat.kept);
  return heartbeat;
}

rt::Async<Status> ApplicationMaster::finish(Farewell farewell, HostTime deadline) {
  pb::FinishApplicationMasterRequest request;
  request.set_diagnostics(farewell.diagnostics);
  request.set_final_application_status(static_cast<pb::FinalApplicationStatus>(farewell.status));
  bool said = false;
  while (true) {
    auto replied =
        co_await call<pb::FinishApplicationMasterResponse>(proxy_, kFinish, request, deadline);
    if (replied.has_value() && replied->is_unregistered()) {
      co_return Status();
    }
    if (!replied.has_value()) {
      const auto& failure = replied.error();
      // The earlier request was carried out, and then forgotten.
      if (said && is_over(failure)) {
        co_return Status();
      }
      if (!has_forgotten_us(failure)) {
        co_return explain(failure,
                          "cannot report the end of the application to the resource manager");
      }
      auto again = co_await register_again(deadline);
      MUSTER_CO_TRY_STATUS(std::move(again));
      continue;
    }
    said = true;
    if (loop_->now() + kFinishPause >= deadline) {
      co_return cluster_error(
          "the resource manager did not record the end of the application in time",
          Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, kFinishPause);
  }
}

}  // namespace muster::hadoop::yarn
