#include "eventlog/reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::eventlog {
namespace {

/// Adds one segment's records. Records already in the log from the segment's first index on were
/// never seen by its master and are dropped.
Status add_segment(Segment segment, Log& log) {
  const std::string name = segment_name(segment.header.epoch);
  if (!segment.damage.empty()) {
    log.damages.push_back(fmt::format("{}: {}", name, segment.damage));
  }
  log.header = std::move(segment.header);
  if (segment.records.empty()) {
    return {};
  }
  const uint64_t first = segment.records.front().index;
  if (first > log.records.size()) {
    return Error{Errc::Corrupt, Blame::Cluster,
                 fmt::format("{}: records {} to {} are missing before it", name, log.records.size(),
                             first - 1)};
  }
  for (uint64_t expected = first; const Record& record : segment.records) {
    if (record.index != expected) {
      return Error{Errc::Corrupt, Blame::Cluster,
                   fmt::format("{}: found record {} where record {} was expected", name,
                               record.index, expected)};
    }
    ++expected;
  }
  log.records.erase(log.records.begin() + static_cast<ptrdiff_t>(first), log.records.end());
  if (log.records.empty()) {
    log.records = std::move(segment.records);
  } else {
    std::ranges::move(segment.records, std::back_inserter(log.records));
  }
  return {};
}

}  // namespace

Result<Log> join_segments(std::vector<Segment> segments) {
  Log log;
  for (Segment& segment : segments) {
    MUSTER_TRY_STATUS(add_segment(std::move(segment), log));
  }
  return log;
}

Result<Log> read_log(SegmentStore& store) {
  MUSTER_TRY(const std::vector<job::Epoch> epochs, store.list());
  std::vector<Segment> segments;
  std::vector<std::string> unreadable;
  for (const job::Epoch epoch : epochs) {
    MUSTER_TRY(const std::string bytes, store.read(epoch));
    if (bytes.empty()) {
      continue;  // Just created: its master has not written yet.
    }
    Result<Segment> segment = read_segment(bytes);
    if (segment) {
      segments.push_back(std::move(*segment));
      continue;
    }
    const Error error = segment.error().within(segment_name(epoch));
    if (error.code != Errc::Corrupt) {
      return error;
    }
    unreadable.push_back(error.message);
  }
  if (segments.empty()) {
    if (unreadable.empty()) {
      return Error{Errc::NotFound, Blame::User, "the job has no event log"};
    }
    return Error{Errc::Corrupt, Blame::Cluster, unreadable.front()};
  }
  MUSTER_TRY(Log log, join_segments(std::move(segments)));
  std::ranges::move(unreadable, std::back_inserter(log.damages));
  return log;
}

}  // namespace muster::eventlog
