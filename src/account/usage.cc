#include "account/usage.h"

#include <algorithm>
#include <chrono>

namespace muster::account {
namespace {

WallTime next_day(WallTime at) {
  return std::chrono::floor<std::chrono::days>(at) + std::chrono::days(1);
}

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string_view to_string(UsageBy by) {
  switch (by) {
    case UsageBy::User:
      return "user";
    case UsageBy::Queue:
      return "queue";
    case UsageBy::Name:
      return "name";
    case UsageBy::Day:
      return "day";
    case UsageBy::Host:
      return "host";
  }
  return "";
}

std::optional<double> UsageRow::goodput() const {
  return granted <= Duration::zero() ? std::nullopt
                                     : std::optional(seconds_of(productive) / seconds_of(granted));
}

void Usage::add(const UsedBy& job, const Ledger& ledger, Time until, const Signs& signs) {
  const Account account = ledger.account(until, signs, {}, job.queued_before);
  if (job.started + account.until.time_since_epoch() < since_) {
    return;
  }
  std::map<std::string, UsageRow> rows;
  for (const Line& line : ledger.lines(until, signs)) {
    add(job, ledger.machine().plan(), line, rows);
  }
  const bool has_own_time = by_ == UsageBy::Day || by_ == UsageBy::Host;
  if (!has_own_time) {
    // A job that was granted nothing has queued nevertheless.
    rows[key_of(job, {}, job.started)].queued += account.queued;
  }
  for (const auto& [key, row] : rows) {
    UsageRow& sum = rows_[key];
    ++sum.jobs;
    sum.failed += job.failed ? 1 : 0;
    sum.granted += row.granted;
    sum.productive += row.productive;
    sum.queued += row.queued;
    sum.memory_gib_s += row.memory_gib_s;
    sum.core_s += row.core_s;
    sum.gpu_s += row.gpu_s;
  }
}

void Usage::add(const UsedBy& job, const job::Plan& plan, const Line& line,
                std::map<std::string, UsageRow>& rows) const {
  constexpr double kGibibyte = 1ULL << 30;
  for (const Span& span : line.spans) {
    WallTime from = std::max(job.started + span.from.time_since_epoch(), since_);
    const WallTime to = job.started + span.to.time_since_epoch();
    while (from < to) {
      const WallTime cut = by_ == UsageBy::Day ? std::min(to, next_day(from)) : to;
      UsageRow& row = rows[key_of(job, line, from)];
      row.granted += (cut - from) / line.slots;
      row.productive +=
          span.what == Class::Productive ? (cut - from) / line.slots : Duration::zero();
      if (line.role) {
        // A place in a container has one task's share.
        const job::Resources& each = plan.role(*line.role).resources;
        const double held = seconds_of(cut - from);
        row.memory_gib_s += held * static_cast<double>(each.memory_bytes) / kGibibyte;
        row.core_s += held * each.vcores;
        row.gpu_s += held * each.gpus;
      }
      from = cut;
    }
  }
}

std::string Usage::key_of(const UsedBy& job, const Line& line, WallTime at) const {
  switch (by_) {
    case UsageBy::User:
      return job.user;
    case UsageBy::Queue:
      return job.queue;
    case UsageBy::Name:
      return job.name;
    case UsageBy::Day:
      return format_iso(at).substr(0, 10);
    case UsageBy::Host:
      return line.host.value;
  }
  return {};
}

}  // namespace muster::account
