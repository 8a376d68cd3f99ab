#include "client/show/shown_job.h"

#include "eventlog/description.h"
#include "eventlog/events.h"
#include "eventlog/status.h"
#include "metrics/series_text.h"
#include "rt/wait.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Per answer: some megabytes of text.
constexpr size_t kMetricPointsMax = 200'000;

}  // namespace

/// The output of a job; what its cluster keeps is brought here when somebody asks for it.
class ShownJob::Logs final : public page::LogSource {
 public:
  Logs(rt::IoLoop& loop, const ShownFrom& from, const cluster::JobFolder& job)
      : from_(from), turn_(loop), folder_(loop, from.files, job.logs(), [] {}) {}

  rt::Async<Result<page::LogPiece>> read(page::LogName log, page::LogWanted wanted) override {
    while (bringing_) {
      co_await turn_.wait();
    }
    if (!brought_ && from_.bring_output != nullptr) {
      const Turn turn(*this);
      auto brought = co_await from_.bring_output();
      MUSTER_CO_TRY_STATUS(std::move(brought));
      brought_ = true;
    }
    co_return co_await folder_.read(std::move(log), wanted);
  }

 private:
  /// While this exists, nobody else has the output brought. The reader may go away.
  class Turn {
   public:
    explicit Turn(Logs& logs) : logs_(logs) { logs_.bringing_ = true; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      logs_.bringing_ = false;
      logs_.turn_.pulse();
    }

   private:
    Logs& logs_;
  };

  const ShownFrom& from_;
  bool bringing_ = false;
  bool brought_ = false;
  rt::Event turn_;  ///< Pulsed when bringing_ turns false.
  cluster::FolderLogs folder_;
};

ShownJob::ShownJob(rt::IoLoop& loop, ShownFrom from, FoundJob job, page::Access& access)
    : from_(std::move(from)),
      job_(std::move(job)),
      logs_(std::make_unique<Logs>(loop, from_, job_.folder)),
      dialer_(loop),
      page_(page::Page::Deps{
          .loop = loop, .job = *this, .logs = *logs_, .access = access, .dialer = dialer_}) {}

ShownJob::~ShownJob() = default;

std::string ShownJob::status() const {
  return eventlog::status_json(job_.reading.replayed.machine.plan(), job_.reading.state(),
                               status_context(job_));
}

std::string ShownJob::description() const {
  return eventlog::job_json(job_.reading.replayed.machine.plan(), job_.reading.plan_file);
}

page::Events ShownJob::events(uint64_t from, uint64_t count) const {
  const std::vector<eventlog::Record>& records = job_.reading.log.records;
  page::Events events{.json = {}, .next = std::min<uint64_t>(from, records.size())};
  for (const uint64_t end = std::min<uint64_t>(events.next + count, records.size());
       events.next < end; ++events.next) {
    events.json += events.json.empty() ? "" : ",";
    events.json += eventlog::event_json(job_.reading.replayed.machine.plan(), job_.reading.state(),
                                        records[events.next]);
  }
  return events;
}

std::optional<uint32_t> ShownJob::attempts_of(std::string_view role, uint32_t index) const {
  const auto known = job_.reading.replayed.machine.plan().find_role(role);
  const auto& tasks = job_.reading.state().tasks;
  if (!known || index >= tasks[known->value].size()) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(tasks[known->value][index].attempts.size());
}

Result<std::string> ShownJob::metrics(const page::MetricsRequest& request) const {
  MUSTER_TRY(const SampleFiles files, samples());
  MUSTER_TRY(const std::vector<metrics::Series> series, files.series({.tasks = request.tasks,
                                                                      .names = request.names,
                                                                      .from_s = request.from_s,
                                                                      .step_s = request.step_s},
                                                                     {}, kMetricPointsMax));
  return metrics::series_json(files.end_s() == INT64_MIN ? 0 : files.end_s(), series);
}

Result<std::string> ShownJob::metric_names() const {
  MUSTER_TRY(const SampleFiles files, samples());
  return metrics::names_json(files.names());
}

Result<SampleFiles> ShownJob::samples() const {
  MUSTER_TRY_STATUS(from_.bring_samples());
  return SampleFiles::read(from_.files, job_.folder.metrics());
}

}  // namespace muster::client
