#include "master/clients/job_report.h"

#include "eventlog/summary.h"

namespace muster::master {

std::string JobReport::status() const {
  const job::Machine& machine = deps_.decider.machine();
  return eventlog::status_json(machine.plan(), machine.state(), context());
}

bool JobReport::log_is_stuck() const { return !deps_.decider.writer().trouble().empty(); }

void JobReport::write_summary() const {
  deps_.place.free_room();
  const job::Machine& machine = deps_.decider.machine();
  const Status written =
      deps_.place.write_summary(eventlog::summary_json(machine.plan(), machine.state(), context()));
  if (!written) {
    deps_.log.error("summary.unwritten", {{"reason", written.error().message}});
  }
}

eventlog::StatusContext JobReport::context() const {
  const bool asks = !deps_.decider.machine().state().requests.empty();
  return {.on = deps_.options.on,
          .application_id = deps_.options.application_id,
          .logs_folder = deps_.options.logs_folder,
          .started = started_,
          .waits_for = asks ? deps_.link.waits_for() : std::string(),
          .log_trouble = deps_.decider.writer().trouble(),
          .page = deps_.options.page};
}

}  // namespace muster::master
