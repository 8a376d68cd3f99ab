#include "master/term.h"

#include <utility>
#include <variant>
#include <vector>

namespace muster::master {

Term::Term(const MasterDeps& deps, const MasterOptions& options, Opened opened,
           EndReport::Ended ended)
    : deps_(deps),
      log_(deps.sink),
      decider_(deps.loop, deps.segments, log_, std::move(opened.start), decider_handlers()),
      fence_(deps.segments, decider_.header().epoch, [this](job::Epoch by) { fenced(by); }),
      admission_(options, decider_.header(), decider_.machine()),
      report_({.decider = decider_,
               .link = deps.link,
               .place = deps.place,
               .options = options,
               .log = log_},
              opened.started),
      agents_({.master = deps_,
               .options = options,
               .decider = decider_,
               .admission = admission_,
               .fence = fence_},
              agent_handlers()),
      clients_({.loop = deps.loop, .log = log_, .admission = admission_, .report = report_},
               client_handlers()),
      streams_({.loop = deps.loop,
                .log = log_,
                .decider = decider_,
                .clients = clients_,
                .agents = agents_,
                .admission = admission_,
                .page = deps.tasks}),
      output_(
          {.loop = deps.loop,
           .clients = clients_,
           .audience = deps.audience,
           .set_follow = [this](const wire::FollowOutput& follow) { agents_.set_follow(follow); }},
          options.followed),
      samples_(
          {.loop = deps.loop, .log = log_, .machine = decider_.machine(), .store = deps.samples},
          decider_.header().epoch,
          [this] { clients_.metrics({metrics::encode(samples_.latest())}); }),
      notices_({.loop = deps.loop,
                .log = log_,
                .decider = decider_,
                .options = options,
                .sender = deps.notices}),
      ending_({.loop = deps.loop,
               .link = deps.link,
               .agents = agents_,
               .clients = clients_,
               .audience = deps.audience,
               .report = report_,
               .samples = samples_,
               .hosts = deps.hosts,
               .machine = decider_.machine(),
               .notices = notices_,
               .tracker = deps.tracker},
              options.followed,
              [this](const job::Outcome& outcome) {
                log_.info("master.over", {{"result", to_string(outcome.result)}});
                end({MasterEnd::Kind::JobEnded, outcome});
              }),
      performer_({.loop = deps.loop,
                  .link = deps.link,
                  .decider = decider_,
                  .agents = agents_,
                  .admission = admission_},
                 [this](const job::Outcome& outcome) { ending_.begin(outcome); }),
      end_report_(deps.loop, std::move(ended)) {
  for (const eventlog::Record& record : opened.records) {
    clients_.remember(record);
    notices_.remember(record.fact);
  }
  for (const std::string& damage : opened.damages) {
    log_.warning("log.damaged", {{"what", damage}});
  }
}

Term::~Term() { admission_.close(); }

Status Term::begin() {
  const bool fresh = decider_.fresh();
  MUSTER_TRY_STATUS(admission_.listen(
      deps_.transport,
      [this](std::unique_ptr<control::Channel> channel) { on_channel(std::move(channel)); }));
  MUSTER_TRY_STATUS(publish());
  MUSTER_TRY_STATUS(open_link());
  output_.begin();
  streams_.begin();
  if (!fresh) {
    samples_.recover();
  }
  log_.info("master.in_charge", {{"job", decider_.header().job_id},
                                 {"epoch", admission_.epoch().value},
                                 {"address", address()},
                                 {"recovered", !fresh}});
  if (fresh) {
    decider_.enter(job::JobStarted{});
  }
  if (admission_.epoch().value > 1) {
    decider_.enter(job::MasterRecovered{admission_.epoch()});
  }
  return {};
}

Status Term::publish() {
  Status published = admission_.publish(deps_.place);
  if (!published && decider_.fresh()) {
    return published;
  }
  if (!published) {
    // Agents are dialled, so only new clients cannot find this master.
    log_.error("place.unpublished", {{"reason", published.error().message}});
  }
  if (const Status kept = deps_.place.keep_room(); !kept) {
    log_.warning("room.not_kept", {{"reason", kept.error().message}});
  }
  return {};
}

Status Term::open_link() {
  std::vector<job::ContainerId> known;
  for (const auto& [id, container] : decider_.machine().state().containers) {
    if (container.state != job::ContainerState::Gone) {
      known.push_back(id);
    }
  }
  return deps_.link.start(std::move(known),
                          [this](job::Fact fact) { on_link_fact(std::move(fact)); });
}

void Term::stop(job::StopAsked asked) {
  log_.info("stop.asked", {{"by", asked.by}});
  decider_.enter(std::move(asked));
}

void Term::on_channel(std::unique_ptr<control::Channel> channel) {
  if (decider_.closed()) {
    return;
  }
  switch (channel->peer().kind) {
    case control::Peer::Kind::Agent:
      agents_.accept(std::move(channel));
      return;
    case control::Peer::Kind::Owner:
    case control::Peer::Kind::Viewer:
      clients_.accept(std::move(channel));
      return;
    case control::Peer::Kind::Master:
    case control::Peer::Kind::Stream:
      return;
  }
}

void Term::on_link_fact(job::Fact fact) {
  if (auto* ended = std::get_if<job::ContainerEnded>(&fact)) {
    agents_.container_ended(std::move(*ended));
    return;
  }
  decider_.enter(std::move(fact));
}

void Term::on_released(const Decider::Released& released) {
  clients_.fact(released.record);
  tell_audience();
  if (released.view) {
    agents_.send_view(released.view);
  }
  for (const job::Action& action : released.actions) {
    log_.debug("action.released", {{"action", job::name_of(action)}});
    performer_.perform(action);
  }
  agents_.released(released.record.index);
  streams_.released(released.record.index);
  notices_.released(released.record.fact);
}

void Term::tell_audience() {
  if (deps_.audience != nullptr) {
    deps_.audience->changed();
  }
}

void Term::fenced(job::Epoch by) {
  if (decider_.closed()) {
    return;
  }
  log_.warning("master.fenced", {{"epoch", admission_.epoch().value}, {"by", by.value}});
  end({MasterEnd::Kind::Fenced, std::nullopt});
}

void Term::end(MasterEnd end) {
  if (decider_.closed()) {
    return;
  }
  decider_.close();
  performer_.clear_deadlines();
  end_report_.tell(std::move(end), [this] {
    admission_.close();
    agents_.close_all();
    clients_.close_all();
  });
}

Decider::Handlers Term::decider_handlers() {
  return {.released = [this](const Decider::Released& released) { on_released(released); },
          .ahead = [this](const job::Action& action) { performer_.perform(action); },
          .log_changed =
              [this] {
                clients_.tell_status();
                tell_audience();
              },
          .make_room = [this] { deps_.place.free_room(); },
          .check_fence = [this] { fence_.check(); }};
}

AgentSupervisor::Handlers Term::agent_handlers() {
  return {.output = [this](const wire::Output& piece) { output_.pass(piece); },
          .samples =
              [this](const job::ContainerId& container, const std::vector<wire::Samples>& samples) {
                samples_.take(container, samples);
                streams_.sampled(container, samples);
              },
          .stream =
              [this](const job::ContainerId& container, wire::StreamFrame&& frame) {
                streams_.from_agent(container, std::move(frame));
              },
          .gone = [this](const job::ContainerId& container) { streams_.agent_gone(container); }};
}

Clients::Handlers Term::client_handlers() {
  return {.stop = [this](const job::StopAsked& asked) { stop(asked); },
          .follow_output = [this](bool on) { output_.clients_follow(on); },
          .missed_output = [this] { return output_.take_early(); },
          .metrics = [this](const wire::MetricsAsked& asked) { return samples_.answer(asked); },
          .follow_metrics =
              [this](bool on) {
                samples_.follow(on);
                if (on) {
                  clients_.metrics({metrics::encode(samples_.latest())});
                }
              },
          .stream =
              [this](const StreamRelay::Opener& opener, wire::StreamFrame&& frame) {
                streams_.from_client(opener, std::move(frame));
              },
          .gone = [this](ClientNumber client) { streams_.client_gone(client); },
          .left = [this] { ending_.told(); }};
}

}  // namespace muster::master
