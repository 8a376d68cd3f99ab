#include "master/watch/stack_reader.h"

#include "base/overloaded.h"
#include "stacks/servers.h"
#include "stacks/suspect.h"
#include "stacks/vain_wait.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

namespace muster::master {
namespace {

/// How many are read at a time: a client may have twice as many streams.
constexpr size_t kReadAtOnce = wire::kStreamsMax / 2;
constexpr Duration kPatience = std::chrono::seconds(45);
constexpr Duration kWaitForTask = std::chrono::seconds(5);

/// Keeps only the threads that show what the task is doing.
stacks::Report essence(const stacks::Report& report) {
  stacks::Report kept;
  const auto keep = [&](const stacks::Telling& telling) {
    if (kept.processes.empty() || kept.processes.back().pid != telling.process->pid) {
      kept.processes.push_back(*telling.process);
      kept.processes.back().threads.clear();
    }
    std::vector<stacks::Thread>& threads = kept.processes.back().threads;
    if (std::ranges::find(threads, telling.thread->id, &stacks::Thread::id) == threads.end()) {
      threads.push_back(*telling.thread);
    }
  };
  kept.collectives = report.collectives;
  if (const stacks::Telling telling = stacks::telling_of(report); telling.process != nullptr) {
    if (const stacks::Process& first = report.processes.front();
        &first != telling.process && !first.threads.empty()) {
      keep({&first, &first.threads.front()});  // The process that started it.
    }
    keep(telling);
    if (const stacks::Thread* const server = stacks::server_of(*telling.process)) {
      keep({telling.process, server});
    }
    if (const stacks::Thread* const collector = stacks::collector_of(*telling.process)) {
      keep({telling.process, collector});
    }
    for (const stacks::Telling& other : stacks::behind(report)) {
      keep(other);
    }
  }
  return kept;
}

}  // namespace

StackReader::~StackReader() {
  deps_.loop.cancel(deadline_);
  deps_.loop.cancel(going_on_);
}

void StackReader::read(const std::vector<Wanted>& wanted, const How& how, Done done) {
  done_ = std::move(done);
  attempts_.clear();
  subjects_.clear();
  for (const Wanted& each : wanted) {
    attempts_.push_back(each.attempt);
    subjects_.push_back(each.subject);
  }
  how_ = how;
  how_.watch /= static_cast<int64_t>((wanted.size() + kReadAtOnce - 1) / kReadAtOnce);
  next_ = 0;
  deadline_ = deps_.loop.call_after(kPatience + how.watch, [this] {
    deadline_ = {};
    give_up();
  });
  open_more();
}

void StackReader::open_more() {
  while (next_ < attempts_.size() && readings_.size() < kReadAtOnce) {
    const size_t subject = next_++;
    const uint64_t id = ++last_stream_;
    readings_[id].subject = subject;
    wire::StreamOpen open;
    open.attempt = {attempts_[subject].task, 0};
    open.wait = kWaitForTask;
    std::vector<std::string> probe = stacks::probe_command();
    probe.emplace_back(stacks::kWatchFlag);
    probe.push_back(std::to_string(how_.watch / std::chrono::seconds(1)));
    if (how_.native) {
      probe.emplace_back(stacks::kNativeFlag);
    }
    open.request = wire::ExecRequest{.arguments = std::move(probe)};
    send(id, open);
  }
  go_on_soon();
}

void StackReader::take(const wire::StreamFrame& frame) {
  if (!readings_.contains(frame.id)) {
    return;
  }
  if (const Status taken = take_kind(frame.id, frame.kind); !taken) {
    deps_.log.warning("stall.bad_frame", {{"reason", taken.error().message}});
    send(frame.id, wire::StreamReset{wire::StreamFault::Protocol, taken.error().message});
    end(frame.id);
  }
}

Status StackReader::take_kind(uint64_t id, const wire::StreamFrame::Kind& kind) {
  Reading& reading = readings_.at(id);
  return std::visit(
      Overloaded{
          [&](const wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(reading.ledger.received(data));
            MUSTER_TRY(const wire::ExecOutput output, wire::decode_exec_output(data.bytes));
            if (std::holds_alternative<wire::ExecExited>(output)) {
              send(id, wire::StreamClosed{});
              end(id);
              return {};
            }
            const auto& bytes = std::get<wire::ExecOutputBytes>(output);
            if (!bytes.is_err) {
              reading.reader.take(bytes.bytes);
            }
            if (const uint64_t credit = reading.ledger.consumed(data.bytes.size()); credit > 0) {
              send(id, wire::StreamCredit{credit});
            }
            return {};
          },
          [&](const wire::StreamCredit& credit) { return reading.ledger.received(credit); },
          [&](const OneOf<wire::StreamClosed, wire::StreamReset> auto&) -> Status {
            end(id);
            return {};
          },
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened, wire::StreamOffer,
                         wire::StreamDeclined, wire::StreamTaken> auto&) -> Status { return {}; },
      },
      kind);
}

/// What has arrived for this one is all there will be.
void StackReader::end(uint64_t id) {
  const auto found = readings_.find(id);
  const stacks::Report& report = found->second.reader.report();
  stacks::Subject& subject = subjects_[found->second.subject];
  subject.vain_wait = stacks::describe_vain_wait(report);
  subject.report = essence(report);
  readings_.erase(found);
  go_on_soon();
}

void StackReader::give_up() {
  while (!readings_.empty()) {
    const uint64_t id = readings_.begin()->first;
    send(id, wire::StreamReset{wire::StreamFault::Cancelled, "it takes too long"});
    end(id);
  }
  next_ = attempts_.size();
  go_on_soon();
}

/// Posted, because streams may be refused inside the call that opens them.
void StackReader::go_on_soon() {
  const bool more = next_ < attempts_.size() && readings_.size() < kReadAtOnce;
  const bool over = next_ == attempts_.size() && readings_.empty();
  if ((more || over) && going_on_ == rt::TimerId{}) {
    going_on_ = deps_.loop.call_after(Duration::zero(), [this] {
      going_on_ = {};
      go_on();
    });
  }
}

void StackReader::go_on() {
  if (next_ < attempts_.size()) {
    open_more();
  } else if (readings_.empty()) {
    deps_.loop.cancel(std::exchange(deadline_, {}));
    const Done done = std::exchange(done_, nullptr);
    done(std::exchange(subjects_, {}));
  }
}

}  // namespace muster::master
