#include "hadoop/hdfs/names/remote_tree.h"

#include "base/text.h"
#include "hadoop/hdfs/names/glob.h"
#include "hadoop/hdfs/names/path.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// Matches one more part of a pattern below `found`.
rt::Async<Result<std::vector<Found>>> descend(FileSystem* fs, std::vector<Found> found,
                                              std::string part) {
  std::vector<Found> next;
  for (const Found& folder : found) {
    if (folder.status.type != FileType::Folder) {
      continue;
    }
    if (!has_wildcard(part)) {
      std::string path = child_of(folder.path, part);
      MUSTER_CO_TRY(auto status, co_await fs->name_node().stat(path));
      if (status.has_value()) {
        next.push_back({std::move(path), *std::move(status)});
      }
      continue;
    }
    MUSTER_CO_TRY(std::vector<FileStatus> entries, co_await fs->list(folder.path));
    for (FileStatus& entry : entries) {
      if (matches(part, entry.name)) {
        std::string path = child_of(folder.path, entry.name);
        next.push_back({std::move(path), std::move(entry)});
      }
    }
  }
  co_return next;
}

rt::Async<Result<std::vector<Found>>> expand_one(FileSystem* fs, std::string pattern) {
  const std::vector<std::string_view> parts = split(std::string_view(pattern).substr(1), '/');
  // The parts before the first wildcard form one plain path.
  std::string plain;
  size_t at = 0;
  for (; at < parts.size() && !has_wildcard(parts[at]); ++at) {
    if (!parts[at].empty()) {
      plain.append("/").append(parts[at]);
    }
  }
  std::vector<Found> found;
  MUSTER_CO_TRY(auto status, co_await fs->name_node().stat(plain.empty() ? "/" : plain));
  if (status.has_value()) {
    found.push_back({plain.empty() ? "/" : plain, *std::move(status)});
  }
  for (; at < parts.size() && !found.empty(); ++at) {
    MUSTER_CO_TRY(found, co_await descend(fs, std::move(found), std::string(parts[at])));
  }
  co_return found;
}

}  // namespace

rt::Async<Result<std::vector<Found>>> expand(FileSystem* fs, std::string pattern) {
  if (!has_wildcard(pattern)) {
    MUSTER_CO_TRY(FileStatus status, co_await fs->stat(pattern));
    std::vector<Found> one;
    one.push_back({std::move(pattern), std::move(status)});
    co_return one;
  }
  MUSTER_CO_TRY(const std::vector<std::string> alternatives, expand_braces(pattern));
  std::vector<Found> all;
  std::set<std::string> seen;
  for (const std::string& alternative : alternatives) {
    MUSTER_CO_TRY(std::vector<Found> found, co_await expand_one(fs, alternative));
    for (Found& each : found) {
      if (seen.insert(each.path).second) {
        all.push_back(std::move(each));
      }
    }
  }
  std::ranges::sort(all, {}, &Found::path);
  co_return all;
}

rt::Async<Result<std::vector<Found>>> list_tree(FileSystem* fs, std::string folder) {
  std::vector<Found> all;
  std::vector<std::string> open = {std::move(folder)};  // The next one last.
  std::vector<Found> pending;                           // Not listed yet, the next one last.
  while (true) {
    MUSTER_CO_TRY(std::vector<FileStatus> entries, co_await fs->list(open.back()));
    const std::string parent = std::exchange(open.back(), {});
    open.pop_back();
    for (FileStatus& entry : entries | std::views::reverse) {
      std::string path = child_of(parent, entry.name);
      pending.push_back({std::move(path), std::move(entry)});
    }
    while (!pending.empty() && pending.back().status.type != FileType::Folder) {
      all.push_back(std::move(pending.back()));
      pending.pop_back();
    }
    if (pending.empty()) {
      co_return all;
    }
    open.push_back(pending.back().path);
    all.push_back(std::move(pending.back()));
    pending.pop_back();
  }
}

}  // namespace muster::hadoop::hdfs
