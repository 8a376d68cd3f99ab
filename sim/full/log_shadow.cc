#include "sim/full/log_shadow.h"

#include "eventlog/frame_reader.h"
#include "eventlog/reader.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {
namespace {

Result<eventlog::Log> read_all(const LogDisk& disk) {
  std::vector<eventlog::Segment> segments;
  for (const auto& [epoch, bytes] : disk.segments) {
    Result<eventlog::Segment> segment = eventlog::read_segment(bytes);
    if (segment) {
      segments.push_back(std::move(*segment));
    }
  }
  return eventlog::join_segments(std::move(segments));
}

}  // namespace

LogShadow::LogShadow(const LogDisk& disk, const job::Plan& plan, Handlers handlers)
    : disk_(disk), plan_(plan), handlers_(std::move(handlers)), machine_(plan) {}

void LogShadow::created(job::Epoch epoch) {
  const Result<eventlog::Log> log = read_all(disk_);
  if (!log) {
    handlers_.broken("the log cannot be read: " + log.error().message);
    return;
  }
  if (log->records.size() < next_) {
    handlers_.broken(
        fmt::format("{} records were in the log, and {} are left", next_, log->records.size()));
    return;
  }
  // A predecessor that was fenced may have written on; its successor has read that.
  for (size_t i = next_; i < log->records.size(); ++i) {
    take(log->records[i]);
  }
  epoch_ = epoch;
  read_ = 0;
  header_ = false;
}

void LogShadow::grown(job::Epoch epoch) {
  if (epoch != epoch_) {
    return;
  }
  const std::string& bytes = disk_.segments.at(epoch);
  if (!header_ && bytes.size() < eventlog::kMagic.size()) {
    return;
  }
  const size_t from = header_ ? read_ : eventlog::kMagic.size();
  eventlog::FrameReader frames(std::string_view(bytes).substr(from), from);
  while (const auto payload = frames.next()) {
    read_ = frames.offset();
    if (!header_) {
      header_ = true;
      continue;
    }
    const Result<eventlog::Record> record = wire::decode_log_record(*payload);
    if (!record) {
      handlers_.broken("a record cannot be read: " + record.error().message);
      return;
    }
    take(*record);
  }
}

void LogShadow::arrived(job::Epoch epoch, uint64_t digest) {
  if (epoch == epoch_ && machine_.digest() != digest) {
    handlers_.broken("the master's machine differs from the one that its log makes");
  }
}

void LogShadow::take(const eventlog::Record& record) {
  if (record.index != next_) {
    handlers_.broken(fmt::format("record {} is logged where {} should be", record.index, next_));
    return;
  }
  ++next_;
  handlers_.logged(record, machine_);
  const std::vector<job::Action> actions = machine_.apply(record.at, record.fact);
  digests_.push_back(machine_.digest());
  handlers_.applied(record, actions, machine_);
}

void LogShadow::check_replay() const {
  const Result<eventlog::Log> log = read_all(disk_);
  if (!log || log->records.size() != next_) {
    handlers_.broken("the log that was written is not the one that is read");
    return;
  }
  job::Machine again(plan_);
  for (size_t i = 0; i < log->records.size(); ++i) {
    (void)again.apply(log->records[i].at, log->records[i].fact);
    if (again.digest() != digests_[i]) {
      handlers_.broken(fmt::format("replaying the first {} facts gives another state", i + 1));
      return;
    }
  }
}

}  // namespace muster::sim
