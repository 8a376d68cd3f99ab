#include "agent/checkpointer.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr Duration kLookPeriod = std::chrono::seconds(1);
constexpr Duration kAnswerPatience = std::chrono::seconds(10);
constexpr std::string_view kAsk = ".ask";
constexpr std::string_view kAnswer = ".answer";

/// One ask of muster-commit: the file's stem and the name the task gave.
struct Ask {
  std::string stem;
  std::string name;
};

std::optional<Ask> find_ask(os::Files& files, const fs::path& folder) {
  const auto entries = files.list(folder);
  if (!entries.has_value()) {
    return std::nullopt;
  }
  for (const os::FolderEntry& entry : *entries) {
    if (!entry.name.ends_with(kAsk) || entry.name.starts_with('.')) {
      continue;
    }
    const std::string text = files.read(folder / entry.name, 4096).value_or("");
    return Ask{entry.name.substr(0, entry.name.size() - kAsk.size()), printable(trim(text))};
  }
  return std::nullopt;
}

void answer_ask(os::Files& files, const fs::path& folder, const Ask& ask, const std::string& text) {
  (void)files.remove(folder / (ask.stem + std::string(kAsk)));
  (void)files.write(folder / (ask.stem + std::string(kAnswer)), text + "\n");
}

}  // namespace

struct Checkpointer::Record {
  Watched watched;
  FolderLook before;
  FolderLook committed;
  HostTime changed{};
  bool busy = false;
  rt::TimerId timer{};
  // A copy that waits for the master's word.
  std::optional<CheckpointStore::Staged> staged;
  FolderLook staged_look;
  std::optional<Ask> ask;
  // The end.
  bool ended = false;
  rt::TimerId patience{};
  std::function<void()> done;
};

/// What one look found out, on its way through the pool.
struct Checkpointer::Step {
  job::Generation generation;
  FolderLook now;
  std::optional<CheckpointStore::Staged> staged;
  std::optional<Ask> ask;
  std::string trouble;
};

Checkpointer::~Checkpointer() {
  for (const auto& [id, record] : records_) {
    deps_.loop.cancel(record->timer);
    deps_.loop.cancel(record->patience);
    record->ended = true;
  }
}

void Checkpointer::watch(Watched watched) {
  auto record = std::make_shared<Record>();
  record->committed = watched.at_start;
  record->before = watched.at_start;
  record->changed = deps_.loop.now();
  record->watched = std::move(watched);
  records_[record->watched.attempt] = record;
  rest(record);
}

void Checkpointer::rest(const Shared& record) {
  record->busy = false;
  deps_.loop.cancel(record->timer);
  record->timer = deps_.loop.call_after(kLookPeriod, [this, record] { look(record); });
}

void Checkpointer::look(const Shared& record) {
  if (record->busy) {
    return;
  }
  record->busy = true;
  auto step = std::make_shared<Step>();
  step->generation = deps_.generation();
  const Duration quiet = deps_.loop.now() - record->changed;
  auto work = [&files = deps_.files, record, step, quiet, ended = record->ended] {
    const Watched& watched = record->watched;
    auto now = look_at(files, watched.place.folder);
    if (!now.has_value()) {
      step->trouble = now.error().message;
      return;
    }
    step->now = std::move(*now);
    step->ask = find_ask(files, watched.ask_folder);
    std::optional<CompleteCheckpoint> complete;
    if (step->ask) {
      complete = CompleteCheckpoint{step->ask->name, "asked", {}};
      for (const SeenFile& file : step->now) {
        complete->files.push_back(file.path);
      }
    } else {
      complete = find_complete(files, watched.place.folder,
                               {.before = &record->before,
                                .now = &step->now,
                                .committed = &record->committed,
                                .quiet = quiet,
                                .ended = ended});
    }
    if (!complete) {
      return;
    }
    CheckpointManifest manifest{
        watched.job, step->generation, complete->name, complete->marker, {}};
    auto staged =
        watched.place.store->stage(watched.place.folder, complete->files, std::move(manifest));
    if (!staged.has_value()) {
      step->trouble = staged.error().message;
      return;
    }
    // What changed while it was copied may have been copied half.
    const auto after = look_at(files, watched.place.folder);
    for (const std::string& path : complete->files) {
      const auto seen = [&path](const SeenFile& file) { return file.path == path; };
      const auto then = std::ranges::find_if(step->now, seen);
      if (!after.has_value() || std::ranges::find(*after, *then) == after->end()) {
        watched.place.store->discard(*staged);
        return;
      }
    }
    step->staged = std::move(*staged);
  };
  deps_.loop.run_blocking(std::move(work), [this, record, step] { on_looked(record, *step); });
}

void Checkpointer::on_looked(const Shared& record, Step& step) {
  if (!records_.contains(record->watched.attempt)) {
    return;
  }
  if (!step.trouble.empty()) {
    deps_.log.warning("checkpoint.not-mirrored", {{"error", step.trouble}});
  }
  if (step.now != record->before) {
    record->changed = deps_.loop.now();
  }
  record->before = step.now;
  record->ask = step.ask;
  if (!step.staged) {
    if (record->ask && !step.trouble.empty()) {
      answer_ask(deps_.files, record->watched.ask_folder, *record->ask, "refused: " + step.trouble);
    }
    record->ended ? end(record) : rest(record);
    return;
  }
  record->staged = std::move(step.staged);
  record->staged_look = std::move(step.now);
  const wire::CommitAsked asked{record->watched.attempt, record->staged->manifest.generation,
                                record->staged->manifest.name};
  if (!deps_.ask(asked)) {
    give_up(record, "there is no master now");
    return;
  }
  record->timer = deps_.loop.call_after(
      kAnswerPatience, [this, record] { give_up(record, "the master did not answer"); });
}

void Checkpointer::answered(const wire::CommitAnswered& answer) {
  const auto found = records_.find(answer.attempt);
  if (found == records_.end() || !found->second->staged ||
      found->second->staged->manifest.name != answer.name) {
    return;
  }
  const Shared record = found->second;
  deps_.loop.cancel(record->timer);
  if (answer.refusal.empty()) {
    commit(record);
    return;
  }
  record->committed = record->staged_look;  // The same is not asked for again.
  give_up(record, answer.refusal);
}

void Checkpointer::commit(const Shared& record) {
  auto number = std::make_shared<Result<uint64_t>>(uint64_t{0});
  auto work = [&files = deps_.files, record, number] {
    const Watched& watched = record->watched;
    *number = watched.place.store->commit(*record->staged);
    if (!number->has_value()) {
      watched.place.store->discard(*record->staged);
      return;
    }
    (void)note_checkpoint(files, watched.place, **number);
    (void)watched.place.store->prune(watched.keep);
  };
  deps_.loop.run_blocking(std::move(work), [this, record, number] {
    if (!records_.contains(record->watched.attempt)) {
      return;
    }
    if (!number->has_value()) {
      record->staged.reset();
      give_up(record, number->error().message);
      return;
    }
    deps_.log.info("checkpoint.committed", {{"name", record->staged->manifest.name},
                                            {"marker", record->staged->manifest.marker},
                                            {"number", **number}});
    if (record->ask) {
      answer_ask(deps_.files, record->watched.ask_folder, *record->ask,
                 "committed " + std::to_string(**number));
    }
    record->committed = std::move(record->staged_look);
    record->staged.reset();
    record->busy = false;
    // Of an ended attempt there may be one more: what came while the last was copied.
    record->ended ? look(record) : rest(record);
  });
}

void Checkpointer::give_up(const Shared& record, const std::string& why) {
  deps_.log.warning("checkpoint.not-committed", {{"reason", why}});
  if (record->ask) {
    answer_ask(deps_.files, record->watched.ask_folder, *record->ask, "refused: " + why);
  }
  if (record->staged) {
    auto work = [store = record->watched.place.store, staged = std::move(*record->staged)] {
      store->discard(staged);
    };
    record->staged.reset();
    deps_.loop.run_blocking(std::move(work), [] {});
  }
  record->ended ? end(record) : rest(record);
}

void Checkpointer::finish(job::AttemptId attempt, Duration patience, std::function<void()> done) {
  const auto found = records_.find(attempt);
  if (found == records_.end()) {
    done();
    return;
  }
  const Shared record = found->second;
  record->ended = true;
  record->done = std::move(done);
  record->patience = deps_.loop.call_after(patience, [this, record] { end(record); });
  if (!record->busy) {
    deps_.loop.cancel(record->timer);
    look(record);
  }
}

void Checkpointer::end(const Shared& record) {
  deps_.loop.cancel(record->timer);
  deps_.loop.cancel(record->patience);
  records_.erase(record->watched.attempt);
  if (const auto done = std::exchange(record->done, nullptr)) {
    done();
  }
}

std::string_view commit_program() {
  return R"sh(#!/bin/sh
# usage: muster-commit [NAME]
# Says that $MUSTER_CHECKPOINT_DIR now holds a complete checkpoint, and waits until it is kept
# (exit status 0) or refused (1).
if [ -z "$MUSTER_COMMIT_DIR" ]; then
  echo "muster-commit: this task's checkpoint is not mirrored (checkpoint.to, checkpoint.by)" >&2
  exit 0
fi
name=${1:-commit}
stem="$MUSTER_COMMIT_DIR/$$"
mkdir -p "$MUSTER_COMMIT_DIR" && rm -f "$stem.answer" &&
  printf '%s\n' "$name" > "$MUSTER_COMMIT_DIR/.$$" &&
  mv "$MUSTER_COMMIT_DIR/.$$" "$stem.ask" || exit 1
while [ ! -f "$stem.answer" ]; do sleep 0.1; done
answer=$(cat "$stem.answer")
rm -f "$stem.answer"
case "$answer" in
  committed*) exit 0 ;;
esac
echo "muster-commit: $answer" >&2
exit 1
)sh";
}

}  // namespace muster::agent
