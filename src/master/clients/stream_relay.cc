#include "master/clients/stream_relay.h"

#include "base/overloaded.h"
#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

namespace muster::master {
namespace {

using wire::StreamFault;
using wire::StreamReset;

/// How long a client may let a stream wait.
constexpr Duration kWaitMin = std::chrono::seconds(1);
constexpr Duration kWaitMax = std::chrono::hours(24);

/// The name of a session's kind in the log.
std::string verb_of(const wire::StreamRequest& request) {
  return std::visit(Overloaded{
                        [](const wire::ExecRequest& exec) -> std::string {
                          if (exec.keeps) {
                            return "shell";
                          }
                          return exec.terminal ? "exec with a terminal" : "exec";
                        },
                        [](const wire::JoinRequest&) { return std::string(job::kJoinVerb); },
                        [](const wire::ShellsRequest&) -> std::string { return "list"; },
                        [](const wire::TcpRequest&) -> std::string { return "forward"; },
                    },
                    request);
}

bool begins_terminal(const wire::StreamRequest& request) {
  const auto* exec = std::get_if<wire::ExecRequest>(&request);
  return exec != nullptr && exec->terminal.has_value();
}

/// Returns what the session was asked to do.
std::string what_of(const wire::StreamRequest& request) {
  return std::visit(
      Overloaded{
          [](const wire::ExecRequest& exec) { return shell_command(exec.arguments); },
          [](const wire::TcpRequest& tcp) { return fmt::format("port {}", tcp.port); },
          [](const wire::JoinRequest& join) -> std::string {
            return join.shell == 0 ? "the shell" : fmt::format("shell {}", join.shell);
          },
          [](const wire::ShellsRequest&) -> std::string { return "shells"; },
      },
      request);
}

/// Returns the task that a host's name means: the first one that runs there, or worker:1 for
/// "worker-1".
std::optional<job::TaskId> task_on(const job::Machine& machine, const std::string& host) {
  const job::State& state = machine.state();
  for (const auto& tasks : state.tasks) {
    for (const job::Task& task : tasks) {
      const std::string name =
          fmt::format("{}-{}", machine.plan().role(task.id.role).name, task.id.index);
      const job::Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
      const bool there = last != nullptr && last->state == job::AttemptState::Running &&
                         (last->host.value == host || last->address.host == host);
      if (there || name == host) {
        return task.id;
      }
    }
  }
  return std::nullopt;
}

/// Where the task can be reached now, or what to tell the client.
struct Place {
  std::optional<job::AttemptId> attempt;
  job::ContainerId container;
  std::string waits;                 ///< Why it cannot be reached yet.
  std::optional<StreamReset> never;  ///< Why it will not be.
};

Place look(const job::Machine& machine, job::TaskId id) {
  const job::State& state = machine.state();
  const std::string name = to_string(machine.plan(), id);
  if (state.phase == job::JobPhase::Stopping || state.phase == job::JobPhase::Ended) {
    return {.never = StreamReset{StreamFault::NotRunning, "the job is ending"}};
  }
  const job::Task& task = state.task(id);
  switch (task.state) {
    case job::TaskState::Succeeded:
    case job::TaskState::Failed:
    case job::TaskState::Stopped:
      return {.never = StreamReset{StreamFault::NotRunning,
                                   fmt::format("{} has ended ({})", name, to_string(task.state))}};
    case job::TaskState::Waiting:
      return {.waits = task.attempts.empty() ? name + " has not started yet"
                                             : name + " is between two attempts"};
    case job::TaskState::Active:
      break;
  }
  const job::Attempt& attempt = task.attempts.back();
  if (attempt.state == job::AttemptState::Running) {
    return {.attempt = job::AttemptId{id, attempt.number}, .container = attempt.container};
  }
  return {.waits = attempt.state == job::AttemptState::Stopping || attempt.number > 1
                       ? name + " is between two attempts"
                       : name + " has not started yet"};
}

/// Returns why the shell that somebody wants to rejoin no longer exists; "" if it may still exist.
std::string gone_shell(const job::Machine& machine, const wire::StreamOpen& open) {
  if (!std::holds_alternative<wire::JoinRequest>(open.request) || open.attempt.number == 0) {
    return {};
  }
  const job::Task& task = machine.state().task(open.attempt.task);
  const job::Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
  const bool lives = last != nullptr && last->number == open.attempt.number &&
                     last->state == job::AttemptState::Running;
  return lives ? ""
               : fmt::format("{} has ended, and the shell with it",
                             to_string(machine.plan(), open.attempt));
}

}  // namespace

StreamRelay::StreamRelay(rt::Loop& loop, const log::Logger& log, Decider& decider,
                         Handlers handlers)
    : loop_(loop),
      log_(log),
      decider_(decider),
      handlers_(std::move(handlers)),
      tasks_changed_(loop),
      scope_(loop) {
  scope_.spawn(advance_as_tasks_change());
}

StreamRelay::~StreamRelay() {
  for (const auto& [id, stream] : streams_) {
    loop_.cancel(stream.deadline);
  }
}

// ---- what clients say

void StreamRelay::from_client(const Opener& opener, wire::StreamFrame frame) {
  if (auto* request = std::get_if<wire::StreamOpen>(&frame.kind)) {
    open(opener, frame.id, std::move(*request));
    return;
  }
  const Client& client = clients_[opener.client];
  const auto known = client.streams.find(frame.id);
  if (known == client.streams.end()) {
    // Frames of a stream that has ended may have been under way.
    if (frame.id > client.last_id) {
      handlers_.to_client(
          opener.client, {frame.id, StreamReset{StreamFault::Protocol, "there is no such stream"}});
    }
    return;
  }
  pass(known->second, std::move(frame.kind), true);
}

void StreamRelay::open(const Opener& opener, uint64_t client_id, wire::StreamOpen request) {
  const auto refuse = [&](StreamFault fault, std::string reason) {
    handlers_.to_client(opener.client, {client_id, StreamReset{fault, std::move(reason)}});
  };
  Client& client = clients_[opener.client];
  if (client_id <= client.last_id) {
    if (const auto same = client.streams.find(client_id); same != client.streams.end()) {
      reset(same->second, {StreamFault::Protocol, "the stream's id was used again"});
    } else {
      refuse(StreamFault::Protocol, "the stream's id was used before");
    }
    return;
  }
  client.last_id = client_id;
  request.ticket.clear();  // Only the master gives out tickets.
  if (client.streams.size() >= wire::kStreamsMax) {
    refuse(StreamFault::Refused,
           fmt::format("a client may have at most {} sessions at a time", wire::kStreamsMax));
    return;
  }
  if (const auto* tcp = std::get_if<wire::TcpRequest>(&request.request);
      tcp != nullptr && !tcp->host.empty()) {
    const auto found = task_on(decider_.machine(), tcp->host);
    if (!found) {
      refuse(StreamFault::Refused,
             fmt::format("no task of the job runs on {} now", printable(tcp->host)));
      return;
    }
    request.attempt = {*found, 0};
  }
  const auto& tasks = decider_.machine().state().tasks;
  const job::TaskId task = request.attempt.task;
  if (task.role.value >= tasks.size() || task.index >= tasks[task.role.value].size()) {
    refuse(StreamFault::Refused, "the job has no such task");
    return;
  }
  Stream stream;
  stream.opener = opener;
  stream.client_id = client_id;
  stream.open = std::move(request);
  await_task(std::move(stream));
}

void StreamRelay::await_task(Stream asked) {
  const uint64_t id = ++last_id_;
  const Duration wait = std::clamp(asked.open.wait, kWaitMin, kWaitMax);
  clients_[asked.opener.client].streams[asked.client_id] = id;
  Stream& stream = streams_[id];
  stream = std::move(asked);
  stream.to_client.widen(stream.open.window);
  stream.deadline = loop_.call_after(wait, [this, id, wait] {
    const Stream& late = streams_.at(id);
    reset(id, {StreamFault::Deadline,
               fmt::format("{}; gave up after {}", late.told, format_duration(wait))});
  });
  advance(id);
}

void StreamRelay::client_gone(ClientNumber client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  const Client gone = std::move(found->second);
  clients_.erase(found);
  for (const auto& [client_id, id] : gone.streams) {
    const auto stream = streams_.find(id);
    if (agent_knows(stream->second)) {
      tell_agent(id, stream->second, StreamReset{StreamFault::Lost, "the client has gone"});
      note_detached(stream->second);
    }
    forget(stream);
  }
}

// ---- how a stream comes to its task

void StreamRelay::advance(uint64_t id) {
  Stream& stream = streams_.at(id);
  const job::TaskId task = stream.open.attempt.task;
  Place place = look(decider_.machine(), task);
  if (const std::string gone = gone_shell(decider_.machine(), stream.open); !gone.empty()) {
    place.never = StreamReset{StreamFault::NotRunning, gone};
  }
  if (place.never) {
    reset(id, *place.never);
    return;
  }
  const std::string name = to_string(decider_.machine().plan(), task);
  if (place.attempt && *place.attempt == stream.over) {
    place.waits = name + " is between two attempts";
    place.attempt.reset();
  }
  if (place.attempt && !handlers_.connected(place.container)) {
    place.waits = "the agent of " + name + " is not connected";
    place.attempt.reset();
  }
  if (!place.attempt) {
    if (stream.told != place.waits) {
      stream.told = place.waits;
      tell_client(stream, wire::StreamWaits{place.waits});
    }
    return;
  }
  if (count_in(place.container) >= wire::kStreamsMax) {
    reset(id, {StreamFault::Refused,
               fmt::format("the container of {} already has {} sessions, the maximum", name,
                           wire::kStreamsMax)});
    return;
  }
  if (stream.opener.client == kPageClient ||
      std::holds_alternative<wire::ShellsRequest>(stream.open.request)) {
    stream.container = place.container;
    stream.open.attempt = *place.attempt;
    stream.state = State::Open;
    loop_.cancel(std::exchange(stream.deadline, {}));
    tell_agent(id, stream, stream.open);
    return;
  }
  stream.state = State::Logging;
  stream.told = "the session is not in the job's log yet";
  stream.container = place.container;
  stream.open.attempt = *place.attempt;
  stream.fact_index = log_session(stream);
  logging_.emplace(stream.fact_index, id);
  if (stream.fact_index < released_) {
    begin(id);
  }
}

uint64_t StreamRelay::log_session(const Stream& stream) {
  uint64_t* known = nullptr;
  if (const auto* tcp = std::get_if<wire::TcpRequest>(&stream.open.request)) {
    auto& forwarded = clients_.at(stream.opener.client).forwarded;
    const auto [found, is_new] = forwarded.try_emplace(Forward{stream.open.attempt, tcp->port}, 0);
    if (!is_new) {
      return found->second;
    }
    known = &found->second;
  }
  std::string verb = verb_of(stream.open.request);
  if (begins_terminal(stream.open.request) && decider_.machine().plan().spec.recording.terminals) {
    verb += " (recorded)";
  }
  log_.info("session.opened",
            {{"who", stream.opener.who},
             {"from", stream.opener.from},
             {"task", to_string(decider_.machine().plan(), stream.open.attempt.task)},
             {"verb", verb}});
  const uint64_t index =
      decider_.enter(job::SessionOpened{stream.open.attempt, stream.opener.who, stream.opener.from,
                                        verb, what_of(stream.open.request)});
  if (known != nullptr) {
    *known = index;
  }
  return index;
}

void StreamRelay::begin(uint64_t id) {
  Stream& stream = streams_.at(id);
  const auto [first, last] = logging_.equal_range(stream.fact_index);
  logging_.erase(std::find_if(first, last, [id](const auto& each) { return each.second == id; }));
  loop_.cancel(std::exchange(stream.deadline, {}));
  if (stream.open.direct && offer(id, stream)) {
    return;
  }
  stream.state = State::Open;
  tell_agent(id, stream, stream.open);
}

bool StreamRelay::offer(uint64_t id, Stream& stream) {
  const auto* exec = std::get_if<wire::ExecRequest>(&stream.open.request);
  const bool is_shell = (exec != nullptr && exec->keeps) ||
                        std::holds_alternative<wire::JoinRequest>(stream.open.request);
  if (is_shell) {
    return false;  // Detaching it must be logged, and joining it finds it through the relay.
  }
  const std::optional<wire::StreamOffer> offer = handlers_.offer(stream.container);
  if (!offer) {
    return false;
  }
  stream.state = State::Offered;
  wire::StreamOpen announced = stream.open;
  announced.ticket = offer->ticket;
  // Tell the agent first: it must know the ticket when the client comes with it.
  tell_agent(id, stream, std::move(announced));
  tell_client(stream, *offer);
  return true;
}

bool StreamRelay::settle_offer(Streams::iterator stream, const wire::StreamFrame::Kind& kind,
                               bool to_agent) {
  if (to_agent && std::holds_alternative<wire::StreamDeclined>(kind)) {
    stream->second.state = State::Open;
    tell_agent(stream->first, stream->second, kind);
    return true;
  }
  if (!to_agent && std::holds_alternative<wire::StreamTaken>(kind)) {
    forget(stream);
    return true;
  }
  return false;
}

void StreamRelay::released(uint64_t index) {
  released_ = index + 1;
  for (auto next = logging_.find(index); next != logging_.end(); next = logging_.find(index)) {
    begin(next->second);
  }
  tasks_changed_.pulse();
}

/// Looks at the waiting streams after every fact, from the event loop.
rt::Async<> StreamRelay::advance_as_tasks_change() {
  while (true) {
    co_await tasks_changed_.wait();
    std::vector<uint64_t> waiting;
    for (const auto& [id, stream] : streams_) {
      if (stream.state == State::Waiting) {
        waiting.push_back(id);
      }
    }
    std::ranges::for_each(waiting, [this](uint64_t id) { advance(id); });
  }
}

// ---- what agents say

void StreamRelay::from_agent(const job::ContainerId& container, wire::StreamFrame frame) {
  const auto found = streams_.find(frame.id);
  const bool has_heard = found != streams_.end() && (found->second.state == State::Open ||
                                                     found->second.state == State::Offered);
  const bool its_own = has_heard && found->second.container == container;
  if (!its_own) {
    return;  // It belongs to a stream that has ended, or is made up.
  }
  Stream& stream = found->second;
  const auto* reset = std::get_if<StreamReset>(&frame.kind);
  const bool never_began = reset != nullptr && reset->fault == StreamFault::Lost &&
                           !stream.answered && stream.state == State::Open &&
                           stream.to_agent.left() == stream.to_agent.window();
  if (never_began) {
    stream.over = stream.open.attempt;
    wait_again(frame.id);
    return;
  }
  stream.answered = true;
  pass(frame.id, std::move(frame.kind), false);
}

void StreamRelay::agent_gone(const job::ContainerId& container) {
  std::vector<uint64_t> gone;
  for (const auto& [id, stream] : streams_) {
    if (stream.state != State::Waiting && stream.container == container) {
      gone.push_back(id);
    }
  }
  for (const uint64_t id : gone) {
    const Stream& stream = streams_.at(id);
    if (!stream.answered && std::holds_alternative<wire::TcpRequest>(stream.open.request)) {
      wait_again(id);
    } else {
      reset(id, {StreamFault::Lost, "the connection to the task's container was lost"});
    }
  }
}

/// Lets a stream that has not begun wait again. A command may have begun, but a connection that
/// nobody has answered can be made again. The agent has forgotten the number by which it knew the
/// stream, so the stream gets another one.
void StreamRelay::wait_again(uint64_t id) {
  const auto old = streams_.find(id);
  Stream stream;
  stream.opener = old->second.opener;
  stream.client_id = old->second.client_id;
  stream.open = std::move(old->second.open);
  stream.over = old->second.over;
  forget(old);
  await_task(std::move(stream));
}

// ---- passing on

void StreamRelay::pass(uint64_t id, wire::StreamFrame::Kind kind, bool to_agent) {
  const auto found = streams_.find(id);
  Stream& stream = found->second;
  if (stream.state == State::Offered && settle_offer(found, kind, to_agent)) {
    return;
  }
  if (const auto* last = std::get_if<StreamReset>(&kind)) {
    note_detached(stream);
    if (to_agent && agent_knows(stream)) {
      tell_agent(id, stream, *last);
    } else if (!to_agent) {
      tell_client(stream, *last);
    }
    forget(found);
    return;
  }
  wire::StreamAllowance& there = to_agent ? stream.to_agent : stream.to_client;
  wire::StreamAllowance& back = to_agent ? stream.to_client : stream.to_agent;
  const auto wrong = [] {
    return Status(Error{Errc::Corrupt, Blame::Muster, "a frame that this end does not send"});
  };
  Status kept = std::visit(
      Overloaded{
          [&](const wire::StreamData& data) { return there.spend(data.bytes.size()); },
          [&](const wire::StreamCredit& credit) { return back.grant(credit.bytes); },
          [&](const wire::StreamClosed&) { return there.close(); },
          [&](const wire::StreamOpened& opened) {
            if (to_agent) {
              return wrong();
            }
            stream.shell = opened.shell;
            stream.to_agent.widen(opened.window);
            return Status();
          },
          [&](const OneOf<wire::StreamOpen, wire::StreamWaits, StreamReset, wire::StreamOffer,
                          wire::StreamDeclined, wire::StreamTaken> auto&) { return wrong(); },
      },
      kind);
  if (kept.has_value() && stream.state != State::Open) {
    kept = Error{Errc::Corrupt, Blame::Muster, "data before the stream is open"};
  }
  if (!kept.has_value()) {
    log_.warning("stream.bad_frame", {{"by", to_agent ? "client" : stream.container.value},
                                      {"reason", kept.error().message}});
    reset(id, {StreamFault::Protocol, kept.error().message});
    return;
  }
  if (to_agent) {
    tell_agent(id, stream, std::move(kind));
  } else {
    tell_client(stream, std::move(kind));
  }
  if (there.closed() && back.closed()) {
    forget(found);
  }
}

void StreamRelay::tell_client(const Stream& stream, wire::StreamFrame::Kind kind) const {
  handlers_.to_client(stream.opener.client, {stream.client_id, std::move(kind)});
}

void StreamRelay::tell_agent(uint64_t id, const Stream& stream,
                             wire::StreamFrame::Kind kind) const {
  handlers_.to_agent(stream.container, {id, std::move(kind)});
}

void StreamRelay::reset(uint64_t id, const StreamReset& why) {
  const auto found = streams_.find(id);
  tell_client(found->second, why);
  if (agent_knows(found->second)) {
    tell_agent(id, found->second, why);
  }
  if (why.fault == StreamFault::Protocol) {
    note_detached(found->second);
  }
  forget(found);
}

void StreamRelay::note_detached(const Stream& stream) {
  // A shell that has closed its direction has ended.
  if (stream.shell == 0 || stream.to_client.closed() ||
      decider_.machine().state().phase == job::JobPhase::Ended) {
    return;
  }
  log_.info("session.detached",
            {{"who", stream.opener.who},
             {"from", stream.opener.from},
             {"task", to_string(decider_.machine().plan(), stream.open.attempt.task)},
             {"shell", stream.shell}});
  decider_.enter(job::SessionDetached{stream.open.attempt, stream.opener.who, stream.opener.from,
                                      fmt::format("shell {}", stream.shell)});
}

void StreamRelay::forget(Streams::iterator stream) {
  loop_.cancel(stream->second.deadline);
  if (stream->second.state == State::Logging) {
    const auto [first, last] = logging_.equal_range(stream->second.fact_index);
    logging_.erase(
        std::find_if(first, last, [&](const auto& each) { return each.second == stream->first; }));
  }
  if (const auto client = clients_.find(stream->second.opener.client); client != clients_.end()) {
    client->second.streams.erase(stream->second.client_id);
  }
  streams_.erase(stream);
}

size_t StreamRelay::count_in(const job::ContainerId& container) const {
  return static_cast<size_t>(std::ranges::count_if(streams_, [&](const auto& entry) {
    return entry.second.state != State::Waiting && entry.second.container == container;
  }));
}

}  // namespace muster::master
