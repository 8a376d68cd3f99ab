#include "cluster/job_reading.h"

#include "cluster/json_member.h"
#include "cluster/logs_command.h"
#include "eventlog/local_segment_store.h"
#include "eventlog/reader.h"
#include "eventlog/summary.h"

#include <boost/json.hpp>

namespace muster::cluster {
namespace {

namespace json = boost::json;

constexpr uint64_t kApplicationBytesMax = 64U << 10;
/// For the plan and the summary: far above those of the largest jobs.
constexpr uint64_t kJobFileBytesMax = 16U << 20;

job::State closed_by(const eventlog::Summary& summary, job::State state) {
  return eventlog::closed_state(std::move(state), eventlog::outcome_of(summary),
                                Time{} + Duration(std::chrono::milliseconds(summary.duration_ms)));
}

}  // namespace

Result<JobReading> read_job(os::Files& files, const JobFolder& folder,
                            const eventlog::PlanOf& plan_of) {
  MUSTER_TRY(const std::string text, files.read(folder.plan(), kJobFileBytesMax));
  MUSTER_TRY(eventlog::PlanFile plan_file, eventlog::parse_plan_file(text));
  eventlog::LocalSegmentStore store(nullptr, files, folder.events());
  Result<eventlog::Log> log = eventlog::read_log(store);
  if (!log && log.error().code == Errc::NotFound) {
    // The master has not written its first fact yet.
    eventlog::Log empty;
    empty.header.job_id = plan_file.job_id;
    empty.header.seed = plan_file.seed;
    empty.header.plan_json = plan_file.spec_json;
    empty.header.created = plan_file.submitted;
    log = std::move(empty);
  }
  if (!log) {
    return log.error().within(folder.id().value + ": " + folder.events().string());
  }
  MUSTER_TRY(eventlog::Replayed replayed, eventlog::replay(*log, plan_of));
  JobReading reading{.plan_file = std::move(plan_file),
                     .log = std::move(*log),
                     .replayed = std::move(replayed),
                     .application_id = application_of(files, folder).id,
                     .closed = {}};
  if (reading.state().phase != job::JobPhase::Ended && files.exists(folder.summary())) {
    MUSTER_TRY(const std::string summary_text, files.read(folder.summary(), kJobFileBytesMax));
    MUSTER_TRY(const eventlog::Summary summary, eventlog::parse_summary(summary_text));
    reading.closed = closed_by(summary, reading.replayed.machine.state());
  }
  return reading;
}

eventlog::StatusContext status_context(const JobFolder& folder, const JobReading& reading) {
  eventlog::StatusContext context;
  context.on = reading.plan_file.on;
  context.application_id = reading.application_id;
  context.logs_folder = place_of_logs(folder, reading.application_id);
  context.started = reading.replayed.started;
  return context;
}

Application application_of(os::Files& files, const JobFolder& folder) {
  const Result<std::string> text = files.read(folder.application(), kApplicationBytesMax);
  boost::system::error_code error;
  const json::value value = text ? json::parse(*text, error) : json::value();
  if (error || !value.is_object()) {
    return {};
  }
  return {.id = text_in(value.get_object(), "application_id"),
          .conf = text_in(value.get_object(), "conf"),
          .proxy_user = text_in(value.get_object(), "proxy_user")};
}

}  // namespace muster::cluster
