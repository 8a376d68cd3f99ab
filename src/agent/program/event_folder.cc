#include "agent/program/event_folder.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr uint64_t kEventPieceBytes = 256U << 10U;
/// Clocks of file systems are coarse.
constexpr Duration kClockSlack = std::chrono::seconds(2);
constexpr size_t kTroublesMax = 8;

}  // namespace

EventFolder::EventFolder(os::Files& files, Options options)
    : files_(files), options_(std::move(options)) {}

EventFolder::Look EventFolder::look(const std::vector<os::Pid>& processes) {
  for (const os::Pid pid : processes) {
    processes_.insert(pid.value);
  }
  size_t entries = 0;
  find(options_.folder, "", 0, entries);
  Look look;
  uint64_t budget = kLookBytesMax;
  for (auto& [path, file] : followed_) {
    if (!file.over) {
      read(path, file, look, budget);
    }
  }
  look.more = budget == 0;
  return look;
}

void EventFolder::find(const os::Path& folder, const std::string& run, int depth, size_t& entries) {
  const auto listed = files_.list(folder);
  if (!listed) {
    return;  // Not there yet, or not any more.
  }
  for (const os::FolderEntry& entry : *listed) {
    if (++entries > kEntriesMax) {
      return;
    }
    if (entry.kind == os::FileKind::Folder && depth < kDepthMax) {
      find(folder / entry.name, run.empty() ? entry.name : run + "/" + entry.name, depth + 1,
           entries);
    } else if (entry.kind == os::FileKind::File && scalars::is_event_file(entry.name)) {
      consider(folder / entry.name, run);
    }
  }
}

void EventFolder::consider(const os::Path& path, const std::string& run) {
  if (followed_.contains(path) || left_alone_.contains(path) || followed_.size() >= kFilesMax) {
    return;
  }
  const Result<os::FileStat> stat = files_.stat(path);
  if (!stat) {
    return;
  }
  const bool old = stat->modified < options_.since - kClockSlack;
  const int32_t writer = scalars::writer_of(path.filename().string());
  const bool named = options_.shared && writer != 0;
  const bool own = named ? processes_.contains(writer) : !options_.shared || options_.takes_unnamed;
  if (!old && own) {
    followed_.emplace(path, File{.run = run, .events = {}});
  } else if ((old || !named) && left_alone_.size() < kEntriesMax) {
    left_alone_.insert(path);  // The next look may recognise the writer named in it.
  }
}

void EventFolder::read(const os::Path& path, File& file, Look& look, uint64_t& budget) {
  std::vector<scalars::Scalar> scalars;
  while (budget > 0) {
    const Result<std::string> piece =
        files_.read_part(path, file.read_bytes, std::min(kEventPieceBytes, budget));
    if (!piece || piece->empty()) {
      break;
    }
    file.read_bytes += piece->size();
    budget -= piece->size();
    file.events.take(*piece, scalars);
    if (!file.events.trouble().empty()) {
      file.over = true;
      say(fmt::format("{}: {}; what follows in it is not read", printable(path.string()),
                      file.events.trouble()),
          look);
      break;
    }
  }
  if (file.events.counts().damaged > 0) {
    say(fmt::format("{}: some records are damaged and are left out", printable(path.string())),
        look);
  }
  if (file.events.counts().unnamed > 0) {
    say(fmt::format("{}: tags without a usable name are left out: 1 to {} bytes of UTF-8 without "
                    "control characters",
                    printable(path.string()), scalars::kNameBytesMax),
        look);
  }
  for (scalars::Scalar& scalar : scalars) {
    // An old file that is still appended to also holds what other attempts reported.
    if (!scalar.at || *scalar.at >= options_.since - kClockSlack) {
      look.found.push_back({.run = file.run, .scalar = std::move(scalar)});
    }
  }
}

void EventFolder::say(std::string trouble, Look& look) {
  if (said_.size() < kTroublesMax && said_.insert(trouble).second) {
    look.troubles.push_back(std::move(trouble));
  }
}

}  // namespace muster::agent
