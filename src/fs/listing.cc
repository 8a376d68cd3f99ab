#include "base/text.h"
#include "fs/entry_text.h"
#include "fs/verbs.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>

#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;
using hdfs::FileType;
using hdfs::Found;

/// What was found for one argument, and what of it is printed.
struct Listing {
  std::string prefix;
  std::vector<Found> entries;
};

rt::Async<Result<Listing>> list_folder(Session* session, Place place, Found folder) {
  Listing listing;
  listing.prefix = place.prefix;
  if (folder.status.type != FileType::Folder || session->options().directory) {
    listing.entries.push_back(std::move(folder));
    co_return listing;
  }
  if (session->options().recursive) {
    MUSTER_CO_TRY(listing.entries, co_await hdfs::list_tree(place.fs, folder.path));
    co_return listing;
  }
  MUSTER_CO_TRY(std::vector<hdfs::FileStatus> entries, co_await place.fs->list(folder.path));
  if (!session->options().json) {
    session->terminal().out(fmt::format("Found {} items\n", entries.size()));
  }
  for (hdfs::FileStatus& entry : entries) {
    std::string path = hdfs::child_of(folder.path, entry.name);
    listing.entries.push_back({std::move(path), std::move(entry)});
  }
  co_return listing;
}

void print(Session& session, const Listing& listing, std::vector<std::string>& json) {
  std::string text;
  for (const Found& entry : listing.entries) {
    const std::string path = listing.prefix + entry.path;
    if (session.options().json) {
      json.push_back(json_of(entry.status, path));
    } else {
      text += line_of(entry.status, path, session.options().human) + "\n";
    }
  }
  if (!text.empty()) {
    session.terminal().out(text);
  }
}

void print_json(Session& session, std::string_view schema, std::span<const std::string> json) {
  if (session.options().json) {
    session.terminal().out(
        fmt::format("{{\"schema\":\"{}\",\"entries\":[{}]}}\n", schema, join(json, ",")));
  }
}

}  // namespace

rt::Async<> ls(Session* session) {
  std::vector<std::string> json;
  std::vector<std::string> paths = session->options().paths;
  if (paths.empty()) {
    paths.emplace_back(".");  // The home folder.
  }
  for (const std::string& argument : paths) {
    Result<Matches> matches = co_await find_matches(session, argument);
    if (!matches.has_value()) {
      session->fail(matches.error());
      continue;
    }
    for (Found& found : matches->found) {
      const Result<Listing> listing =
          co_await list_folder(session, matches->place, std::move(found));
      if (listing.has_value()) {
        print(*session, *listing, json);
      } else {
        session->fail(listing.error());
      }
    }
  }
  print_json(*session, "muster.fs.ls/1", json);
}

rt::Async<> stat(Session* session) {
  std::vector<std::string> json;
  for (const std::string& argument : session->options().paths) {
    const Result<Matches> matches = co_await find_matches(session, argument);
    if (!matches.has_value()) {
      session->fail(matches.error());
      continue;
    }
    for (const Found& found : matches->found) {
      const std::string path = matches->place.prefix + found.path;
      if (session->options().json) {
        json.push_back(json_of(found.status, path));
      } else {
        session->terminal().out(details_of(found.status, path));
      }
    }
  }
  print_json(*session, "muster.fs.stat/1", json);
}

}  // namespace muster::fs
