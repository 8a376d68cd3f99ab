#include "master/reign.h"

#include "eventlog/summary.h"

#include <fmt/format.h>

#include <utility>

namespace muster::master {
namespace {

/// Who started the job and has not followed it by then is not waited for.
constexpr Duration kFollowerLatest = std::chrono::seconds(30);

}  // namespace

Reign::Reign(const MasterDeps& deps, const MasterOptions& options, Opened opened, Ended ended)
    : deps_(deps),
      options_(options),
      log_(deps.sink),
      ended_(std::move(ended)),
      epoch_(opened.epoch()),
      plan_json_(opened.start.header.plan_json),
      seed_(opened.start.header.seed),
      started_(opened.started),
      first_start_(!opened.recovered()),
      early_output_(options.followed),
      decider_(deps.loop, deps.segments, log_, std::move(opened.start), decider_handlers()),
      deadlines_(deps.loop, decider_.clock(),
                 [this](job::DeadlineId id) { decider_.enter(job::DeadlinePassed{id}); }),
      liveness_(deps.loop, decider_.machine().plan().liveness,
                {.verdict = [this](job::Fact verdict) { decider_.enter(std::move(verdict)); },
                 .stalled =
                     [this](Duration late) {
                       log_.warning("master.stalled", {{"for", format_duration(late)}});
                       check_fence();
                     }}),
      ended_containers_(deps.loop,
                        [this](job::ContainerEnded fact) { decider_.enter(std::move(fact)); }),
      agents_(deps.loop, log_, epoch_, agent_handlers()),
      clients_(deps.loop, log_, client_handlers()),
      grants_(decider_,
              [this](const job::ContainerId& container, const wire::CommitAnswered& answer) {
                agents_.send(container, answer);
              }),
      dialer_(deps.loop, deps.transport, options.secret, decider_.machine().plan().liveness.lost,
              {.connected =
                   [this](std::unique_ptr<control::Channel> channel) {
                     on_agent_dialled(std::move(channel));
                   },
               .unreachable =
                   [this](const job::ContainerId& container) { on_unreachable(container); }}),
      ending_(deps.loop, ending_steps()),
      performer_(performer_parts()) {
  for (const eventlog::Record& record : opened.records) {
    clients_.remember(record);
  }
  for (const std::string& damage : opened.damages) {
    log_.warning("log.damaged", {{"what", damage}});
  }
}

Reign::~Reign() {
  *alive_ = false;
  deps_.loop.cancel(early_output_timer_);
}

Status Reign::begin() {
  Result<std::unique_ptr<control::Listener>> listener = deps_.transport.listen(
      options_.listen, [this](const control::Peer& peer) { return key_of(peer); },
      [this](std::unique_ptr<control::Channel> channel) { on_channel(std::move(channel)); });
  if (!listener) {
    return std::move(listener).error();
  }
  listener_ = std::move(*listener);
  Status published = deps_.place.publish({listener_->address(), epoch_, options_.pid});
  if (!published && first_start_) {
    return published;
  }
  if (!published) {
    // The agents are dialled; only new clients cannot find this master.
    log_.error("place.unpublished", {{"reason", published.error().message}});
  }
  if (const Status kept = deps_.place.keep_room(); !kept) {
    log_.warning("room.not_kept", {{"reason", kept.error().message}});
  }
  std::vector<job::ContainerId> known;
  for (const auto& [id, container] : decider_.machine().state().containers) {
    if (container.state != job::ContainerState::Gone) {
      known.push_back(id);
    }
  }
  MUSTER_TRY_STATUS(deps_.link.start(std::move(known),
                                     [this](job::Fact fact) { on_link_fact(std::move(fact)); }));
  if (early_output_.gathering()) {
    early_output_timer_ = deps_.loop.call_after(kFollowerLatest, [this] {
      (void)early_output_.take();
      set_follow();
    });
    set_follow();
  }
  log_.info("master.in_charge", {{"job", options_.job.value},
                                 {"epoch", epoch_.value},
                                 {"address", listener_->address()},
                                 {"recovered", !first_start_}});
  if (first_start_) {
    decider_.enter(job::JobStarted{});
  }
  if (epoch_.value > 1) {
    decider_.enter(job::MasterRecovered{epoch_});
  }
  return {};
}

void Reign::stop(std::string by) {
  log_.info("stop.asked", {{"by", by}});
  decider_.enter(job::StopAsked{std::move(by)});
}

void Reign::on_released(const Decider::Released& released) {
  clients_.fact(released.record);
  tell_audience();
  if (released.view) {
    agents_.send_to_all(released.view);
  }
  for (const job::Action& action : released.actions) {
    log_.debug("action.released", {{"action", job::name_of(action)}});
    performer_.perform(action);
  }
  grants_.released(released.record.index);
}

void Reign::reconcile() {
  for (const auto& [id, container] : decider_.machine().state().containers) {
    call_agent(container);
  }
  deps_.link.reconcile();
}

/// Dials an agent of an earlier master that has not come by itself.
void Reign::call_agent(const job::Container& container) {
  const bool has_agent = container.state == job::ContainerState::Ready ||
                         container.state == job::ContainerState::Draining;
  if (has_agent && !container.agent_address.empty() && !agents_.connected(container.id)) {
    dialer_.call(container.id, container.agent_address);
  }
}

void Reign::write_summary() {
  deps_.place.free_room();
  const job::Machine& machine = decider_.machine();
  const Status written = deps_.place.write_summary(
      eventlog::summary_json(machine.plan(), machine.state(), status_context()));
  if (!written) {
    log_.error("summary.unwritten", {{"reason", written.error().message}});
  }
}

std::string Reign::status() const {
  const job::Machine& machine = decider_.machine();
  return eventlog::status_json(machine.plan(), machine.state(), status_context());
}

eventlog::StatusContext Reign::status_context() const {
  const bool asks = !decider_.machine().state().requests.empty();
  return {.on = options_.on,
          .application_id = options_.application_id,
          .logs_folder = options_.logs_folder,
          .started = started_,
          .waits_for = asks ? deps_.link.waits_for() : std::string(),
          .log_trouble = decider_.writer().trouble(),
          .page = options_.page};
}

std::shared_ptr<const std::string> Reign::agent_welcome() {
  if (!agent_welcome_) {
    const wire::MasterFrame welcome = wire::MasterWelcome{.epoch = epoch_,
                                                          .job_id = options_.job.value,
                                                          .seed = seed_,
                                                          .plan_json = plan_json_,
                                                          .secrets = options_.secrets,
                                                          .master_address = listener_->address(),
                                                          .client_python = options_.client_python};
    agent_welcome_ = std::make_shared<const std::string>(wire::encode(welcome));
  }
  return agent_welcome_;
}

wire::ClientWelcome Reign::client_welcome() const {
  return {.job_id = options_.job.value, .epoch = epoch_, .plan_json = plan_json_, .seed = seed_};
}

cluster::LaunchOrder Reign::launch_order(const job::ContainerId& container) const {
  const job::Container* known = find_container(container);
  const control::Key key =
      control::derive_key(options_.secret, {control::Peer::Kind::Agent, container});
  return {.container = container,
          .host = known != nullptr ? known->host : job::HostName(),
          .job = options_.job,
          .epoch = epoch_,
          .master_address = listener_->address(),
          .agent_key_hex = control::to_hex(key)};
}

Result<control::Key> Reign::key_of(const control::Peer& peer) const {
  switch (peer.kind) {
    case control::Peer::Kind::Agent: {
      const job::Container* container = find_container(peer.container);
      if (container == nullptr || container->state == job::ContainerState::Gone) {
        return cluster_error(fmt::format("no container {} lives in this job", peer.container.value),
                             Errc::Unauthenticated);
      }
      return control::derive_key(options_.secret, peer);
    }
    case control::Peer::Kind::Owner:
    case control::Peer::Kind::Viewer:
      return control::derive_key(options_.secret, peer);
    case control::Peer::Kind::Master:
      break;
  }
  return cluster_error("masters do not dial masters", Errc::Unauthenticated);
}

void Reign::check_fence() {
  const Result<std::vector<job::Epoch>> epochs = deps_.segments.list();
  if (epochs && !epochs->empty() && epochs->back() > epoch_) {
    fenced(epochs->back());
  }
}

/// An agent's word counts where the log cannot be asked: every master makes its segment first.
bool Reign::outranked(job::Epoch by) {
  const Result<std::vector<job::Epoch>> epochs = deps_.segments.list();
  if (epochs && !epochs->empty() && epochs->back() <= epoch_) {
    return false;
  }
  fenced(by);
  return true;
}

void Reign::fenced(job::Epoch by) {
  if (over_) {
    return;
  }
  log_.warning("master.fenced", {{"epoch", epoch_.value}, {"by", by.value}});
  end({MasterEnd::Kind::Fenced, std::nullopt});
}

void Reign::end(MasterEnd end) {
  if (over_) {
    return;
  }
  over_ = true;
  decider_.close();
  deadlines_.clear_all();
  // In a turn of its own: the call may come from a part that is still at work.
  deps_.loop.post([this, alive = alive_, end = std::move(end)] {
    if (!*alive) {
      return;
    }
    listener_.reset();
    agents_.close_all();
    clients_.close_all();
    const Ended ended = ended_;
    ended(end);
  });
}

}  // namespace muster::master
