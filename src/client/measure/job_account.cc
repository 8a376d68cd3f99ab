#include "client/measure/job_account.h"

#include "base/text.h"
#include "client/measure/job_samples.h"
#include "cluster/log_files.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::client {
namespace {

constexpr uint64_t kFirstLineBytes = 64;
constexpr size_t kValuesMax = 20'000'000;

/// Returns when the first byte of a stream was written, from the index beside it; nullopt if
/// unknown.
std::optional<WallTime> first_written(os::Files& files, const cluster::LogStream& stream) {
  const Result<std::string> text =
      files.read_part(stream.path.string() + ".times", 0, kFirstLineBytes);
  if (!text || !text->starts_with("0 ")) {
    return std::nullopt;
  }
  int64_t at = 0;
  const char* const end = text->data() + text->size();
  return std::from_chars(text->data() + 2, end, at).ec == std::errc()
             ? std::optional(WallTime(Duration(at)))
             : std::nullopt;
}

/// Uses only what lies in the job's folder: output on other hosts is not fetched for this.
void add_first_output(Session& session, const FoundJob& job, WallTime started,
                      account::Signs& signs) {
  const job::Plan& plan = job.reading.replayed.machine.plan();
  std::vector<std::string> roles;
  for (const job::RolePlan& role : plan.roles) {
    roles.push_back(role.name);
  }
  const Result<std::vector<cluster::LogStream>> streams =
      cluster::list_logs(*session.files, job.folder.logs(), roles);
  for (const cluster::LogStream& stream : streams ? *streams : std::vector<cluster::LogStream>()) {
    const std::optional<job::RoleIndex> role = plan.find_role(stream.role);
    const std::optional<WallTime> written = first_written(*session.files, stream);
    if (!role || !written) {
      continue;
    }
    const Time at = Time{} + std::max(Duration::zero(), *written - started);
    std::optional<Time>& first =
        signs[{.task = {*role, stream.index}, .number = stream.attempt}].first_output;
    first = first ? std::min(*first, at) : at;
  }
}

Time until_of(Session& session, const FoundJob& job) {
  const cluster::JobReading& reading = job.reading;
  if (reading.closed) {
    return reading.closed->ended;
  }
  if (job.ended() || job.lost()) {
    return reading.replayed.last_at;
  }
  // After the last fact, the job's clock goes on with the wall clock.
  return reading.replayed.last_at +
         std::max(Duration::zero(), session.now() - reading.replayed.last_wall);
}

std::vector<std::string> notes_of(const FoundJob& job, const account::Account& account) {
  std::vector<std::string> notes = job.reading.log.damages;
  if (job.lost()) {
    notes.emplace_back("the job has lost its master: what came after its last event is unknown");
  }
  const account::StartsKnown& starts = account.starts;
  if (starts.by_output > 0) {
    notes.push_back(fmt::format(
        "no step is known for {}: the time until the first line of output counts as starting",
        job::count_of(starts.by_output, "attempt")));
  }
  if (starts.unknown > 0) {
    notes.push_back(
        fmt::format("neither step nor output is known for {}: all of that time counts as work",
                    job::count_of(starts.unknown, "attempt")));
  }
  if (account.guessed > Duration::zero()) {
    notes.push_back(fmt::format(
        "it is not known whether {} of the repeated time was really lost: neither checkpoints nor "
        "steps of the program were seen, so it counts as if the program had started over",
        format_duration(account.guessed)));
  }
  return notes;
}

Status add_samples(Session& session, const FoundJob& job, JobAccount& account) {
  MUSTER_TRY(const JobSamples samples, samples_of(session, job, 1));
  metrics::Query query;
  query.names = summed_metrics();
  MUSTER_TRY(const std::vector<metrics::Series> series,
             samples.files.series(query, samples.live, kValuesMax));
  sum_up_samples(series, samples.files.minutes_before_s(), account.ledger.machine().plan(),
                 account.started, account.uses, account.signs);
  account.hosts = host_uses(series);
  return {};
}

}  // namespace

JobAccount account_of(Session& session, const FoundJob& job, WithSamples with_samples) {
  const eventlog::Replayed& replayed = job.reading.replayed;
  JobAccount made{.ledger = account::Ledger(replayed.machine.plan()),
                  .signs = {},
                  .uses = {},
                  .hosts = {},
                  .account = {},
                  .started = replayed.started,
                  .notes = {}};
  for (const eventlog::Record& record : job.reading.log.records) {
    made.ledger.apply(record.at, record.fact);
  }
  add_first_output(session, job, replayed.started, made.signs);
  const Status measured =
      with_samples == WithSamples::Yes ? add_samples(session, job, made) : Status();
  const Duration waited = job.reading.log.records.empty()
                              ? session.now() - job.reading.plan_file.submitted
                              : replayed.started - job.reading.plan_file.submitted;
  made.account = made.ledger.account(until_of(session, job), made.signs, made.uses,
                                     std::max(Duration::zero(), waited));
  made.account.running = !job.ended() && !job.lost();
  made.notes = notes_of(job, made.account);
  if (!measured) {
    made.notes.push_back("the measurements are not included: " + measured.error().message);
  }
  return made;
}

}  // namespace muster::client
