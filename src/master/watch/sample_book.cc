#include "master/watch/sample_book.h"

#include "master/agents/members.h"
#include "metrics/block_file.h"
#include "metrics/retention.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <set>
#include <type_traits>
#include <utility>

namespace muster::master {
namespace {

constexpr Duration kTick = std::chrono::seconds(1);
/// Another agent reports on the host once the current one has been silent for this long.
constexpr Duration kSpeakerMax = std::chrono::seconds(5);
/// The oldest that a value may be to count as the latest: a look may come late, and so may a beat.
constexpr int64_t kLatestAge = 5;
/// How much of earlier masters' files, newest first, is read again.
constexpr uint64_t kRecoveredBytesMax = 8U << 20;

int64_t second_of(Duration time) { return std::chrono::floor<std::chrono::seconds>(time).count(); }

/// Returns whether an agent may use the name: a program's own, or one of several devices.
bool may_name(const metrics::Metric& metric) {
  return metric.name.starts_with(metrics::kUserPrefix) || metric.name.starts_with("hw.gpu.");
}

}  // namespace

/// The content of earlier masters' files, put in order off the loop.
struct SampleBook::Recovered {
  void read(const std::vector<std::string>& contents);

  SampleFileSizes files;
  metrics::History history;
  std::vector<metrics::Block> unfinished;  ///< Seconds whose minutes are in no file yet.
  int64_t end_s = 0;
  std::vector<std::string> damages;
};

SampleBook::SampleBook(Deps deps, job::Epoch epoch, std::function<void()> push)
    : deps_(deps),
      push_(std::move(push)),
      begun_(deps_.loop.now()),
      begun_wall_(deps_.loop.wall_now().time_since_epoch()),
      scope_(deps_.loop) {
  if (deps_.store != nullptr) {
    writer_.emplace(SampleWriter::Deps{deps_.loop, deps_.log, *deps_.store}, epoch.value);
  }
}

SampleBook::~SampleBook() { deps_.loop.cancel(timer_); }

int64_t SampleBook::now_s() const { return second_of(time()); }

// ---- what comes in

void SampleBook::take(const job::ContainerId& container,
                      const std::vector<wire::Samples>& samples) {
  const job::Container* const place = find_container(deps_.machine.state(), container);
  if (samples.empty() || place == nullptr || finished_) {
    return;
  }
  for (const wire::Samples& one : samples) {
    take_one(container, *place, one);
  }
  schedule();
}

void SampleBook::take_one(const job::ContainerId& container, const job::Container& place,
                          const wire::Samples& samples) {
  const std::optional<metrics::Subject> subject = subject_of(container, place, samples);
  if (!subject) {
    return;
  }
  const int64_t now = now_s();
  // The agent only says how long ago it was; a negative age counts as none.
  const int64_t at = second_of(time() - std::max(samples.age, Duration::zero()));
  using Taken = metrics::Recorder::Taken;
  const auto check = [&](Taken taken) {
    switch (taken) {
      case Taken::Yes:
        return;
      case Taken::WrongTime:
        refuse(container, "a sample is too old");
        return;
      case Taken::TooMany:
        refuse(container, "the job has too many series");
        return;
      case Taken::NotFinite:
        refuse(container, "a value is not a number");
        return;
    }
  };
  for (const metrics::Reading& reading : samples.readings) {
    check(recorder_.add(*subject, reading.metric, at, reading.value, now));
  }
  for (const metrics::NamedReading& reading : samples.named) {
    if (!may_name(reading.metric)) {
      refuse(container, "a name is not one that a program may use");
      continue;
    }
    check(recorder_.add(*subject, reading.metric, at, reading.value, now));
  }
}

std::optional<metrics::Subject> SampleBook::subject_of(const job::ContainerId& container,
                                                       const job::Container& place,
                                                       const wire::Samples& samples) {
  if (samples.attempt) {
    if (!runs_there(deps_.machine.state(), container, *samples.attempt)) {
      refuse(container, "a sample is of an attempt that is not there");
      return std::nullopt;
    }
    const job::AttemptId id = *samples.attempt;
    return metrics::Subject{.role = deps_.machine.plan().role(id.task.role).name,
                            .index = id.task.index,
                            .attempt = id.number};
  }
  auto& [speaker, last] = speakers_[place.host];
  if (speaker != container && !speaker.value.empty() && deps_.loop.now() - last < kSpeakerMax) {
    return std::nullopt;
  }
  speaker = container;
  last = deps_.loop.now();
  return metrics::subject_of_host(place.host.value);
}

/// Logged once per agent: one that sends nonsense does so every second.
void SampleBook::refuse(const job::ContainerId& container, std::string_view reason) {
  if (++refused_[container] == 1) {
    deps_.log.warning("samples.refused", {{"container", container.value}, {"reason", reason}});
  }
}

void SampleBook::follow(bool on) {
  followed_ = on;
  if (on) {
    schedule();
  }
}

// ---- each second

void SampleBook::schedule() {
  if (timer_ == rt::TimerId{} && !finished_) {
    timer_ = deps_.loop.call_after(kTick, [this] {
      timer_ = {};
      tick();
    });
  }
}

void SampleBook::tick() {
  if (encoding_ == nullptr) {
    keep(recorder_.take_closed(now_s()));
  }
  if (followed_) {
    push_();
  }
  if (followed_ || !recorder_.empty()) {
    schedule();
  }
}

void SampleBook::keep(std::vector<metrics::Block> blocks) {
  if (blocks.empty()) {
    return;
  }
  encoding_ = std::make_shared<const std::vector<metrics::Block>>(std::move(blocks));
  auto encode = [blocks = encoding_] {
    std::vector<std::string> encoded;
    for (const metrics::Block& block : *blocks) {
      encoded.push_back(metrics::encode(block));
    }
    return encoded;
  };
  const auto work = [](SampleBook* book, auto encode_all) -> rt::Async<> {
    std::vector<std::string> encoded =
        co_await rt::run_blocking(book->deps_.loop, std::move(encode_all));
    const Blocks done = std::exchange(book->encoding_, nullptr);
    book->keep_encoded(*done, std::move(encoded));
  };
  scope_.spawn(work(this, std::move(encode)));
}

void SampleBook::keep_encoded(const std::vector<metrics::Block>& blocks,
                              std::vector<std::string> encoded) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (writer_) {
      writer_->write(blocks[i].step_s, encoded[i]);
    }
    history_.keep(blocks[i].end_s(), blocks[i].step_s, std::move(encoded[i]));
  }
}

// ---- what goes out

/// Calls with the encoded blocks, then with those that are not encoded yet.
template <class Call>
void SampleBook::each_block(uint32_t step_s, int64_t from_s, const Call& call) const {
  for (const std::string_view block : history_.blocks(step_s, from_s)) {
    call(block);
  }
  std::vector<metrics::Block> open = recorder_.open_windows(step_s);
  if (encoding_ != nullptr) {
    std::ranges::copy_if(*encoding_, std::inserter(open, open.begin()),
                         [&](const metrics::Block& block) { return block.step_s == step_s; });
  }
  for (const metrics::Block& block : open) {
    if (block.end_s() > from_s) {
      call(block);
    }
  }
}

wire::MetricsAnswered SampleBook::answer(const wire::MetricsAsked& asked) const {
  wire::MetricsAnswered answer{.now_s = now_s(), .blocks = {}};
  each_block(asked.step_s, asked.from_s, [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, std::string_view>) {
      answer.blocks.emplace_back(block);
    } else {
      answer.blocks.push_back(metrics::encode(block));
    }
  });
  return answer;
}

metrics::Block SampleBook::latest() const { return recorder_.latest(now_s(), kLatestAge); }

Result<std::vector<metrics::Series>> SampleBook::read(metrics::Query query,
                                                      size_t points_max) const {
  const uint32_t step = query.step_s;
  const int64_t from = query.from_s;
  metrics::SeriesReader reader(std::move(query));
  bool fits = true;
  each_block(step, from, [&](const auto& block) {
    fits = fits && reader.points() <= points_max;
    if (fits) {
      reader.add(block);
    }
  });
  // A coarse step that has just begun is computed from what there is of it.
  if (step > 1) {
    for (const metrics::Block& block : recorder_.open_windows(1)) {
      reader.add(block);
    }
  }
  if (!fits || reader.points() > points_max) {
    return user_error(
        fmt::format("that is more than {} points: name tasks or metrics, or ask for a later start "
                    "or a longer step",
                    points_max));
  }
  return reader.take();
}

std::vector<metrics::Metric> SampleBook::names() const {
  std::set<metrics::Metric> names;
  // Minutes go back for days; anything younger is in one of the open windows.
  for (const std::string_view block : history_.blocks(metrics::kSteps.back(), INT64_MIN)) {
    const Result<metrics::BlockView> view = metrics::BlockView::open(block);
    for (size_t i = 0; view && i < view->columns(); ++i) {
      names.insert(view->metric(i));
    }
  }
  for (const uint32_t step : metrics::kSteps) {
    for (const metrics::Block& block : recorder_.open_windows(step)) {
      for (const metrics::Column& column : block.columns) {
        names.insert(column.metric);
      }
    }
  }
  return {names.begin(), names.end()};
}

// ---- from master to master

void SampleBook::recover() {
  if (writer_) {
    scope_.spawn(bring_back());
  }
}

rt::Async<> SampleBook::bring_back() {
  Result<std::vector<cluster::SampleStore::File>> listed = co_await deps_.store->list();
  if (!listed) {
    deps_.log.warning("samples.unread", {{"reason", listed.error().message}});
    co_return;
  }
  auto recovered = std::make_shared<Recovered>();
  for (const cluster::SampleStore::File& file : *listed) {
    if (const auto name = metrics::parse_sample_file(file.name)) {
      recovered->files.emplace_back(*name, file.size_bytes);
    }
  }
  std::ranges::sort(recovered->files);
  std::vector<std::string> contents = co_await read_newest(&recovered->files);
  auto work = [recovered, contents = std::move(contents)] {
    recovered->read(contents);
    return true;
  };
  (void)co_await rt::run_blocking(deps_.loop, std::move(work));
  adopt(std::move(*recovered));
}

/// Returns the contents of the files of minutes, then those of seconds, oldest first; only the
/// newest part of each kind.
rt::Async<std::vector<std::string>> SampleBook::read_newest(const SampleFileSizes* files) {
  std::vector<metrics::SampleFileName> wanted;
  uint64_t bytes = 0;
  for (const auto& [name, size] : std::views::reverse(*files)) {
    bytes = !wanted.empty() && wanted.back().kind == name.kind ? bytes : 0;
    if (bytes <= kRecoveredBytesMax) {
      wanted.push_back(name);
      bytes += size;
    }
  }
  const auto first_of_seconds = std::ranges::find(wanted, metrics::SampleFileName::Kind::Seconds,
                                                  &metrics::SampleFileName::kind);
  std::reverse(wanted.begin(), first_of_seconds);
  std::reverse(first_of_seconds, wanted.end());
  std::vector<std::string> contents;
  for (const metrics::SampleFileName& name : wanted) {
    Result<std::string> content = co_await deps_.store->read(metrics::to_string(name));
    if (content) {
      contents.push_back(*std::move(content));
    } else {
      deps_.log.warning("samples.unread", {{"reason", content.error().message}});
    }
  }
  co_return contents;
}

void SampleBook::Recovered::read(const std::vector<std::string>& contents) {
  metrics::Recorder tens;
  int64_t minutes_end = INT64_MIN;
  const auto keep_tens = [&](int64_t now, bool all) {
    for (const metrics::Block& block : tens.take_closed(now, all)) {
      history.keep(block.end_s(), block.step_s, metrics::encode(block));
    }
  };
  for (const std::string& content : contents) {
    metrics::BlockFile file(content);
    while (const std::optional<std::string_view> bytes = file.next()) {
      Result<metrics::Block> block = metrics::decode(*bytes);
      if (!block) {
        damages.push_back(block.error().message);
        continue;
      }
      history.keep(block->end_s(), block->step_s, std::string(*bytes));
      if (block->step_s == 60) {
        minutes_end = std::max(minutes_end, block->end_s());
        continue;
      }
      end_s = std::max(end_s, block->end_s());
      tens.restore(*block, 10);
      keep_tens(block->start_s, false);
      if (block->start_s >= minutes_end) {
        unfinished.push_back(*std::move(block));
      }
    }
    damages.insert(damages.end(), file.damages().begin(), file.damages().end());
  }
  keep_tens(0, true);
}

void SampleBook::adopt(Recovered recovered) {
  for (const auto& [name, bytes] : recovered.files) {
    writer_->found(name, bytes);
  }
  for (const std::string& damage : recovered.damages) {
    deps_.log.warning("samples.damaged", {{"what", damage}});
  }
  // This master's clock may be behind its predecessor's, but times must never repeat.
  begun_wall_ += std::chrono::seconds(std::max<int64_t>(0, recovered.end_s - now_s()));
  for (const uint32_t step : metrics::kSteps) {
    for (const std::string_view block : history_.blocks(step, INT64_MIN)) {
      const Result<metrics::BlockView> view = metrics::BlockView::open(block);
      recovered.history.keep(view->start_s() + int64_t{view->times()} * view->step_s(), step,
                             std::string(block));
    }
  }
  history_ = std::move(recovered.history);
  for (const metrics::Block& block : recovered.unfinished) {
    recorder_.restore(block, 60);
  }
}

rt::Async<Status> SampleBook::finish() {
  deps_.loop.cancel(std::exchange(timer_, {}));
  finished_ = true;
  co_await scope_.drained();
  std::vector<std::string> encoded;
  const std::vector<metrics::Block> blocks = recorder_.take_closed(now_s(), true);
  for (const metrics::Block& block : blocks) {
    encoded.push_back(metrics::encode(block));
  }
  keep_encoded(blocks, std::move(encoded));
  if (!writer_) {
    co_return Status();
  }
  co_return co_await writer_->finish();
}

}  // namespace muster::master
