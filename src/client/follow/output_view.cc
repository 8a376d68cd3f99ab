#include "client/follow/output_view.h"

#include "base/text.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// How long our own lines wait for the program's line to end: longer than the gaps between the
/// pieces of one line, and too short to be noticed beside a prompt.
constexpr Duration kLineEndWait = std::chrono::milliseconds(100);

}  // namespace

OutputView::OutputView(Deps deps, const job::Plan& plan)
    : deps_(std::move(deps)),
      plan_(plan),
      alone_(plan.task_count() <= 1),
      lines_(deps_.loop, deps_.console, plan),
      behind_(deps_.loop),
      catching_up_(deps_.loop) {
  catching_up_.spawn(catch_up());
  if (is_raw(wire::OutputStream::Stdout) || is_raw(wire::OutputStream::Stderr)) {
    deps_.console.let_lines_end([this] {
      deps_.loop.cancel(line_timer_);
      line_timer_ = deps_.loop.call_after(kLineEndWait, [this] { deps_.console.write_waiting(); });
    });
  }
}

OutputView::~OutputView() { stop_waiting_for_lines(); }

void OutputView::stop_waiting_for_lines() {
  deps_.loop.cancel(line_timer_);
  deps_.console.let_lines_end({});
}

bool OutputView::wants_whole(wire::OutputStream stream) const {
  const Screen& screen = deps_.console.screen();
  const bool terminal =
      stream == wire::OutputStream::Stderr ? screen.err_is_terminal : screen.out_is_terminal;
  return deps_.files != nullptr && (deps_.events != nullptr || !terminal);
}

bool OutputView::is_raw(wire::OutputStream stream) const { return alone_ && wants_whole(stream); }

void OutputView::missed(const job::State& state) {
  if (deps_.files == nullptr) {
    return;
  }
  missed_ = true;
  for (const std::vector<job::Task>& tasks : state.tasks) {
    for (const job::Task& task : tasks) {
      for (const job::Attempt& attempt : task.attempts) {
        const job::AttemptId id{task.id, attempt.number};
        for (const auto stream : {wire::OutputStream::Stdout, wire::OutputStream::Stderr}) {
          whole_.finish({id, stream}, gate_.next(id, stream));
        }
      }
    }
  }
}

void OutputView::take(const wire::Output& piece) {
  if (muted_) {
    return;
  }
  if (deps_.take || !wants_whole(piece.stream)) {
    take_in_parts(piece);
    return;
  }
  if (const std::optional<wire::Output> next = whole_.take(piece)) {
    show({next->attempt, next->stream}, next->bytes);
  }
  if (whole_.behind()) {
    behind_.set();
  }
}

void OutputView::take_in_parts(const wire::Output& piece) {
  const std::optional<wire::Output> fresh = gate_.pass(piece, false);
  if (!fresh) {
    return;
  }
  if (deps_.take) {
    deps_.take(*fresh);
    look_at_reader();
    return;
  }
  const StreamId stream{fresh->attempt, fresh->stream};
  std::string_view bytes = fresh->bytes;
  uint64_t dropped = fresh->dropped;
  if (dropped > 0) {
    amid_line_.insert(stream);
  }
  if (fresh->at_line_start) {
    amid_line_.erase(stream);
  }
  if (amid_line_.contains(stream)) {
    const size_t line_end = bytes.find('\n');
    const size_t skipped = line_end == std::string_view::npos ? bytes.size() : line_end + 1;
    if (line_end != std::string_view::npos) {
      amid_line_.erase(stream);
    }
    dropped += skipped;
    bytes.remove_prefix(skipped);
  }
  if (dropped > 0) {
    lines_.dropped(stream.first.task, stream.second == wire::OutputStream::Stderr, dropped);
  }
  show(stream, bytes);
}

void OutputView::show(const StreamId& stream, std::string_view bytes) {
  const bool to_err = stream.second == wire::OutputStream::Stderr;
  if (bytes.empty()) {
    return;
  }
  if (deps_.events != nullptr) {
    deps_.events->output(plan_, stream, bytes);
  } else if (is_raw(stream.second)) {
    deps_.console.pass(bytes, to_err);
  } else {
    lines_.feed(stream.first.task, to_err, bytes);
  }
  look_at_reader();
}

void OutputView::look_at_reader() {
  if (deps_.console.out_failed() && !std::exchange(told_gone_, true)) {
    deps_.reader_gone();
  }
}

cluster::LogStream OutputView::log_of(const StreamId& stream) const {
  const job::TaskId task = stream.first.task;
  return {.role = plan_.role(task.role).name,
          .index = task.index,
          .attempt = stream.first.number,
          .is_err = stream.second == wire::OutputStream::Stderr,
          .path = {}};
}

/// Bringing a log here may take seconds, during which signals must be handled and people told what
/// is happening.
rt::Async<> OutputView::step() {
  const std::optional<WholeOutput::Place> place = whole_.to_read();
  if (!place) {
    take_step(whole_.step());
    co_return;
  }
  auto read = [files = deps_.files, log = log_of(place->stream), offset = place->offset] {
    return files->read(log, offset);
  };
  Result<cluster::LogRange> range = co_await rt::run_blocking(deps_.loop, std::move(read));
  if (!muted_) {
    take_step(whole_.step(*place, std::move(range)));
  }
}

void OutputView::take_step(const WholeOutput::Step& step) {
  if (step.missing > 0) {
    Missing& missing = missing_[step.stream];
    missing.bytes += step.missing;
    missing.why = missing.why.empty() ? step.why : missing.why;
  }
  show(step.stream, step.piece.bytes);
}

void OutputView::tell_missing() {
  for (const auto& [stream, missing] : missing_) {
    const bool is_err = stream.second == wire::OutputStream::Stderr;
    deps_.console.err(fmt::format(
        "muster: {} of the {} of {} (attempt {}) are missing here: {}\n",
        format_bytes(missing.bytes), is_err ? "stderr" : "stdout",
        to_string(plan_, stream.first.task), stream.first.number,
        missing.why.empty() ? "its log does not have them (`logs.max` says how much is kept)"
                            : printable(missing.why)));
  }
  missing_.clear();
}

/// Reads one piece at a time: meanwhile, live output must be taken and signals handled.
rt::Async<> OutputView::catch_up() {
  while (!finishing_) {
    co_await behind_.wait();
    while (!finishing_ && !muted_ && whole_.behind()) {
      co_await step();
      co_await rt::next_turn(deps_.loop);
    }
    behind_.reset();
  }
}

void OutputView::mute() {
  if (std::exchange(muted_, true)) {
    return;
  }
  stop_waiting_for_lines();
  lines_.finish();
}

/// Reads all logs to their ends, after the one that is being read now.
rt::Async<> OutputView::read_rest() {
  finishing_ = true;
  behind_.set();
  co_await catching_up_.drained();
  if (muted_) {
    co_return;
  }
  deps_.files->job_ended();
  std::vector<std::string> roles;
  for (const job::RolePlan& role : plan_.roles) {
    roles.push_back(role.name);
  }
  auto list = [files = deps_.files, roles] { return files->here(roles); };
  const std::vector<cluster::LogStream> logs =
      co_await rt::run_blocking(deps_.loop, std::move(list));
  for (const cluster::LogStream& log : logs) {
    const auto role = plan_.find_role(log.role);
    const auto stream = log.is_err ? wire::OutputStream::Stderr : wire::OutputStream::Stdout;
    if (role && wants_whole(stream)) {
      whole_.finish({{{*role, log.index}, log.attempt}, stream});
    }
  }
  while (!muted_ && whole_.behind()) {
    co_await step();
    co_await rt::next_turn(deps_.loop);
  }
}

rt::Async<> OutputView::finish(bool whole) {
  const bool wanted =
      missed_ || wants_whole(wire::OutputStream::Stdout) || wants_whole(wire::OutputStream::Stderr);
  if ((whole || missed_) && wanted && !muted_ && !deps_.take) {
    co_await read_rest();
  }
  catching_up_.cancel();
  stop_waiting_for_lines();
  if (!muted_) {
    lines_.finish();
    if (deps_.events != nullptr) {
      deps_.events->finish_output(plan_);
    }
  }
  tell_missing();
}

}  // namespace muster::client
