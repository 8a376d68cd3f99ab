#include "testing/hadoop/fake_resource_manager.h"

#include "base/check.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_reports.pb.h"
#include "testing/hadoop/fake_records.h"
#include "testing/hadoop/fake_resource_manager_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

FakeResourceManager::FakeResourceManager(rt::Loop& loop, Options options)
    : loop_(&loop),
      options_(std::move(options)),
      started_ms_(wall_ms()),
      client_side_(std::make_unique<ClientSide>(*this)),
      master_side_(std::make_unique<MasterSide>(*this)) {}

FakeResourceManager::~FakeResourceManager() = default;

int64_t FakeResourceManager::wall_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(loop_->wall_now().time_since_epoch())
      .count();
}

FakeService& FakeResourceManager::client_side() { return *client_side_; }

FakeService& FakeResourceManager::master_side() { return *master_side_; }

void FakeResourceManager::add(FakeNodeManager& node) {
  nodes_.push_back(&node);
  node_states_[node.id()] = yarn::NodeState::Running;
  node.on_end = [this](const yarn::ContainerStatus& status) { end_container(status); };
}

FakeNodeManager* FakeResourceManager::node(const NodeId& id) const {
  const auto found = std::ranges::find(nodes_, id, [](const auto* one) { return one->id(); });
  return found == nodes_.end() ? nullptr : *found;
}

FakeApplication& FakeResourceManager::application(const ApplicationId& id) {
  return applications_.at(id);
}

yarn::AttemptId FakeResourceManager::attempt_of(const FakeApplication& application) const {
  return {.application = application.id, .number = application.attempt};
}

hadoop::Token FakeResourceManager::master_token(const ApplicationId& id) const {
  const auto& application = applications_.at(id);
  return {.identifier =
              fmt::format("{}/{}#{}", to_string(id), application.attempt, application.token_key),
          .password = hadoop::Secret("password"),
          .kind = std::string(hadoop::token_kind::kAmRm),
          .service = ""};
}

pb::ApplicationReport FakeResourceManager::report_of(const FakeApplication& application) const {
  const auto& submission = application.submission;
  pb::ApplicationReport report;
  *report.mutable_application_id() = submission.application_id();
  report.set_user(application.user);
  report.set_queue(submission.queue());
  report.set_application_type(submission.application_type());
  *report.mutable_application_tags() = submission.application_tags();
  report.set_yarn_application_state(static_cast<pb::YarnApplicationState>(application.state));
  report.set_final_application_status(
      static_cast<pb::FinalApplicationStatus>(application.final_status));
  report.set_diagnostics(application.diagnostics);
  report.set_submit_time(application.submitted_ms);
  report.set_start_time(application.submitted_ms);
  report.set_host(application.presence.host());
  report.set_rpc_port(application.presence.rpc_port());
  return report;
}

void FakeResourceManager::launch_master(FakeApplication& application) {
  const auto& submission = application.submission;
  application.containers_made = 0;
  if (options_.masters_outside) {
    return;
  }
  if (hold_masters_) {
    application.diagnostics =
        "Application is added to the scheduler and is not yet activated. Queue's AM resource limit "
        "exceeded.";
    return;
  }
  pb::ResourceRequest row;
  row.mutable_priority()->set_priority(-1);
  *row.mutable_capability() = submission.resource();
  auto* const place = place_for(application, row);
  if (place == nullptr) {
    application.diagnostics = "waiting for AM container to be allocated";
    return;
  }
  application.master = {.attempt = attempt_of(application),
                        .number = ++application.containers_made};
  place->launch(application.master, submission.am_container_spec());
  if (on_master) {
    on_master(application.master, place->id(), submission.am_container_spec());
  }
}

void FakeResourceManager::hold_masters(bool hold) {
  hold_masters_ = hold;
  for (auto& [id, application] : applications_) {
    const bool waits =
        application.state == yarn::ApplicationState::Accepted && application.containers_made == 0;
    if (!hold && waits) {
      application.diagnostics.clear();
      launch_master(application);
    }
  }
}

FakeNodeManager* FakeResourceManager::node_of(const pb::Container& container) const {
  return node(yarn::decode(container.node_id()));
}

void FakeResourceManager::end_container(const yarn::ContainerStatus& status) {
  for (auto& [id, application] : applications_) {
    if (application.master == status.id && !is_over(application.state) &&
        application.attempt == status.id.attempt.number) {
      fail_master(id, fmt::format("AM Container for {} exited with exitCode: {}",
                                  attempt_text(status.id.attempt), status.exit_status));
      return;
    }
    if (application.held.erase(status.id) > 0) {
      ended_[status.id] = status;
      put(status, application.outbox.add_completed_container_statuses());
      return;
    }
  }
}

void FakeResourceManager::repeat_completion(const ContainerId& container) {
  auto& outbox = application(container.attempt.application).outbox;
  put(ended_.at(container), outbox.add_completed_container_statuses());
}

void FakeResourceManager::warn(const ApplicationId& id, const std::vector<ContainerId>& containers,
                               bool certain) {
  auto* const warning = application(id).outbox.mutable_preempt();
  for (const auto& container : containers) {
    auto* const entry = certain ? warning->mutable_strict_contract()->add_container()
                                : warning->mutable_contract()->add_container();
    encode(container, entry->mutable_id());
  }
}

void FakeResourceManager::take(const ContainerId& container) {
  const auto& held = application(container.attempt.application).held;
  const auto found = held.find(container);
  if (found == held.end()) {
    return;
  }
  auto* const place = node_of(found->second);
  constexpr auto kPreempted = static_cast<int32_t>(yarn::ExitStatus::Preempted);
  if (place != nullptr && place->runs(container)) {
    if (place->on_stop) {
      place->on_stop(container);
    }
    place->finish(container, kPreempted, "Container preempted by scheduler");
    return;
  }
  end_container({.id = container,
                 .exit_status = kPreempted,
                 .diagnostics = "Container preempted by scheduler"});
}

void FakeResourceManager::lose(const NodeId& lost) {
  auto* const place = node(lost);
  MUSTER_CHECK(place != nullptr, "only a node that exists can be lost");
  std::vector<ContainerId> gone;
  std::vector<ApplicationId> headless;
  for (const auto& [id, application] : applications_) {
    if (place->runs(application.master)) {
      headless.push_back(id);
    }
    for (const auto& [container, grant] : application.held) {
      if (node_of(grant) == place) {
        gone.push_back(container);
      }
    }
  }
  place->set_reachable(false);
  place->lose_all();
  report_node(lost, yarn::NodeState::Lost);
  for (const auto& container : gone) {
    end_container({.id = container,
                   .exit_status = static_cast<int32_t>(yarn::ExitStatus::Aborted),
                   .diagnostics = "Container released on a *lost* node"});
  }
  for (const auto& id : headless) {
    fail_master(id, "AM Container's node is lost");
  }
}

void FakeResourceManager::report_node(const NodeId& id, yarn::NodeState state, std::string health) {
  auto* const place = node(id);
  MUSTER_CHECK(place != nullptr, "only a node that exists can be reported");
  node_states_[id] = state;
  auto report = place->report();
  report.state = state;
  report.health = std::move(health);
  // At most one report of a node in each reply, with its state at that time, like the real one.
  for (auto& [application_id, application] : applications_) {
    auto* const updated = application.outbox.mutable_updated_nodes();
    const auto older = std::ranges::find_if(*updated, [&](const auto& each) {
      return each.node_id().host() == id.host && each.node_id().port() == id.port;
    });
    if (older != updated->end()) {
      updated->erase(older);
    }
    put(report, updated->Add());
  }
}

void FakeResourceManager::forget_registration(FakeApplication& application) {
  // Ends whose reply may have been lost are reported again, before those that no reply has
  // reported.
  pb::AllocateResponse next;
  for (const auto& status : std::exchange(application.unconfirmed, {})) {
    *next.add_completed_container_statuses() = status;
  }
  next.mutable_completed_container_statuses()->MergeFrom(
      application.outbox.completed_container_statuses());
  application.outbox = std::move(next);
  application.registered = false;
  application.response_id = 0;
  application.last_reply.clear();
  application.rows.clear();
  application.placed.clear();
  application.avoided.clear();
  application.known_nodes.clear();
}

void FakeResourceManager::restart() {
  ++epoch_;
  for (auto& [id, application] : applications_) {
    forget_registration(application);
    // Node managers report what runs; the rest was on paper only.
    std::erase_if(application.held, [&](const auto& entry) {
      const auto* const place = node_of(entry.second);
      return place == nullptr || !place->runs(entry.first);
    });
  }
}

void FakeResourceManager::roll_token(const ApplicationId& id) { application(id).rolling = true; }

void FakeResourceManager::activate_token(const ApplicationId& id) {
  auto& rolled = application(id);
  rolled.rolling = false;
  ++rolled.token_key;
}

void FakeResourceManager::fail_master(const ApplicationId& id, std::string why) {
  auto& failed = application(id);
  const auto attempts_max = std::max(1, failed.submission.max_app_attempts());
  failed.diagnostics = std::move(why);
  if (failed.attempt >= attempts_max) {
    end_application(failed, yarn::ApplicationState::Failed);
    return;
  }
  failed.kept.clear();
  if (failed.submission.keep_containers_across_application_attempts()) {
    for (const auto& [container, grant] : failed.held) {
      failed.kept.push_back(grant);
    }
  } else {
    const auto held = std::exchange(failed.held, {});
    for (const auto& [container, grant] : held) {
      if (auto* const place = node_of(grant); place != nullptr) {
        place->finish(container, static_cast<int32_t>(yarn::ExitStatus::Aborted));
      }
    }
  }
  forget_registration(failed);
  failed.state = yarn::ApplicationState::Accepted;
  ++failed.attempt;
  launch_master(failed);
}

void FakeResourceManager::end_application(FakeApplication& application,
                                          yarn::ApplicationState state) {
  application.state = state;
  application.registered = false;
  const auto held = std::exchange(application.held, {});
  for (const auto& [container, grant] : held) {
    if (auto* const place = node_of(grant); place != nullptr) {
      if (place->on_stop && place->runs(container)) {
        place->on_stop(container);
      }
      place->finish(container, static_cast<int32_t>(yarn::ExitStatus::ApplicationEnded));
    }
  }
  for (auto* const place : nodes_) {
    place->finish(application.master, 0);
  }
}

void FakeResourceManager::kill(const ApplicationId& id, std::string why) {
  auto& killed = application(id);
  if (is_over(killed.state)) {
    return;
  }
  killed.diagnostics = std::move(why);
  killed.final_status = yarn::FinalStatus::Killed;
  end_application(killed, yarn::ApplicationState::Killed);
}

}  // namespace muster::testing
