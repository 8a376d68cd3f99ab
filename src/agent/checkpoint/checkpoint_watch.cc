#include "agent/checkpoint/checkpoint_watch.h"

#include "rt/wait_until.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kLookPeriod = std::chrono::seconds(1);
constexpr Duration kAnswerPatience = std::chrono::seconds(10);

/// Returns whether the copied files are still those that were examined: a file that changed
/// meanwhile may have been half copied.
bool unchanged(const std::vector<std::string>& paths, const FolderLook& then,
               const Result<FolderLook>& now) {
  return now.has_value() && std::ranges::all_of(paths, [&](const std::string& path) {
           const auto seen = std::ranges::find(then, path, &SeenFile::path);
           return std::ranges::find(*now, *seen) != now->end();
         });
}

std::vector<std::string> all_paths(const FolderLook& look) {
  std::vector<std::string> paths;
  paths.reserve(look.size());
  for (const SeenFile& file : look) {
    paths.push_back(file.path);
  }
  return paths;
}

}  // namespace

/// One look on its way through the pool; owns everything it reads.
struct CheckpointWatch::Scan {
  os::Files& files;
  std::shared_ptr<const WatchedCheckpoint> watched;
  std::shared_ptr<const FolderLook> before;
  std::shared_ptr<const FolderLook> committed;
  job::Generation generation;
  Duration quiet{};
  bool ended = false;

  Look operator()() const {
    Look found;
    auto now = look_at(files, watched->place.folder);
    if (!now.has_value()) {
      found.trouble = now.error().message;
      return found;
    }
    found.now = std::make_shared<const FolderLook>(std::move(*now));
    found.request = find_commit_request(files, watched->commit_folder);
    if (const auto complete = judge(found)) {
      stage(*complete, found);
    }
    return found;
  }

  [[nodiscard]] std::optional<CompleteCheckpoint> judge(const Look& found) const {
    if (found.request) {
      return CompleteCheckpoint{found.request->name, "asked", all_paths(*found.now)};
    }
    // Nobody may have looked for a long time while a copy was under way, so only two looks that
    // agree show that it was quiet between them.
    const bool same = *found.now == *before;
    return find_complete(files, watched->place.folder,
                         {.before = before.get(),
                          .now = found.now.get(),
                          .committed = committed.get(),
                          .quiet = same ? quiet : Duration::zero(),
                          .ended = ended});
  }

  void stage(const CompleteCheckpoint& complete, Look& found) const {
    const CheckpointPlace& place = watched->place;
    CheckpointManifest manifest{watched->job, generation, complete.name, complete.marker, {}};
    auto staged = place.store->stage(place.folder, complete.files, std::move(manifest));
    if (!staged.has_value()) {
      found.trouble = staged.error().message;
    } else if (unchanged(complete.files, *found.now, look_at(files, place.folder))) {
      found.staged = std::move(*staged);
    } else {
      place.store->discard(*staged);
    }
  }
};

CheckpointWatch::CheckpointWatch(const CheckpointDeps& deps, WatchedCheckpoint watched)
    : deps_(deps),
      watched_(std::make_shared<const WatchedCheckpoint>(std::move(watched))),
      before_(std::make_shared<const FolderLook>(watched_->at_start)),
      committed_(before_),
      changed_(deps.loop.now()),
      ended_(deps.loop),
      answered_(deps.loop),
      over_(deps.loop),
      running_(rt::start(deps.loop, run(), [] {})) {}

void CheckpointWatch::answered(const wire::CommitAnswered& answer) {
  answer_ = answer;
  answered_.pulse();
}

void CheckpointWatch::end() { ended_.set(); }

rt::Async<> CheckpointWatch::run() {
  while (true) {
    (void)co_await rt::wait_until(deps_.loop, deps_.loop.now() + kLookPeriod, ended_);
    const bool last = ended_.is_set();
    Look found = co_await look();
    // An ended attempt may have one more: what was written while the last one was copied.
    const bool committed = co_await settle(std::move(found));
    if (last && !committed) {
      over_.set();
      co_return;
    }
  }
}

rt::Async<CheckpointWatch::Look> CheckpointWatch::look() {
  Scan scan{.files = deps_.files,
            .watched = watched_,
            .before = before_,
            .committed = committed_,
            .generation = deps_.authority.generation(),
            .quiet = deps_.loop.now() - changed_,
            .ended = ended_.is_set()};
  Look found = co_await rt::run_blocking(deps_.loop, std::move(scan));
  if (*found.now != *before_) {
    changed_ = deps_.loop.now();
  }
  before_ = found.now;
  co_return found;
}

rt::Async<bool> CheckpointWatch::settle(Look look) {
  if (!look.trouble.empty()) {
    deps_.log.warning("checkpoint.not-mirrored", {{"error", look.trouble}});
    reply(look, "refused: " + look.trouble);
  }
  if (!look.staged) {
    co_return false;
  }
  const auto staged = std::make_shared<const CheckpointStore::Staged>(std::move(*look.staged));
  Grant grant = co_await ask(staged);
  if (grant.kind == Grant::Kind::Granted) {
    const Result<uint64_t> number = co_await commit(staged);
    if (number.has_value()) {
      deps_.log.info("checkpoint.committed", {{"name", staged->manifest.name},
                                              {"marker", staged->manifest.marker},
                                              {"number", *number}});
      reply(look, "committed " + std::to_string(*number));
      committed_ = look.now;
      co_return true;
    }
    grant.why = number.error().message;
  } else if (grant.kind == Grant::Kind::Refused) {
    committed_ = look.now;  // Do not ask for the same one again.
  }
  deps_.log.warning("checkpoint.not-committed", {{"reason", grant.why}});
  reply(look, "refused: " + grant.why);
  co_await discard(staged);
  co_return false;
}

rt::Async<CheckpointWatch::Grant> CheckpointWatch::ask(Staged staged) {
  const CheckpointManifest& manifest = staged->manifest;
  answer_.reset();
  const wire::CommitAsked request{watched_->attempt, manifest.generation, manifest.name};
  if (!deps_.authority.ask(request)) {
    co_return Grant{Grant::Kind::Unanswered, "no master is connected"};
  }
  const HostTime latest = deps_.loop.now() + kAnswerPatience;
  while (!answer_ || answer_->name != manifest.name) {
    if (!co_await rt::wait_until(deps_.loop, latest, answered_)) {
      co_return Grant{Grant::Kind::Unanswered, "the master did not answer"};
    }
  }
  if (!answer_->refusal.empty()) {
    co_return Grant{Grant::Kind::Refused, answer_->refusal};
  }
  co_return Grant{};
}

rt::Async<Result<uint64_t>> CheckpointWatch::commit(Staged staged) {
  auto work = [&files = deps_.files, watched = watched_, staged]() -> Result<uint64_t> {
    CheckpointStore& store = *watched->place.store;
    MUSTER_TRY(const uint64_t number, store.commit(*staged));
    (void)note_checkpoint(files, watched->place, number);
    (void)store.prune(watched->keep);
    return number;
  };
  co_return co_await rt::run_blocking(deps_.loop, std::move(work));
}

rt::Async<> CheckpointWatch::discard(Staged staged) {
  auto work = [store = watched_->place.store, staged] {
    store->discard(*staged);
    return true;
  };
  (void)co_await rt::run_blocking(deps_.loop, std::move(work));
}

void CheckpointWatch::reply(const Look& look, const std::string& answer) {
  if (look.request) {
    answer_commit_request(deps_.files, watched_->commit_folder, *look.request, answer);
  }
}

}  // namespace muster::agent
