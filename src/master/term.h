#pragma once

#include "base/log.h"
#include "master/agents/admission.h"
#include "master/agents/agent_supervisor.h"
#include "master/agents/fence.h"
#include "master/clients/clients.h"
#include "master/clients/job_report.h"
#include "master/clients/output_relay.h"
#include "master/clients/streams.h"
#include "master/decider.h"
#include "master/deps.h"
#include "master/end_report.h"
#include "master/ending.h"
#include "master/opening.h"
#include "master/performer.h"
#include "master/watch/notifier.h"
#include "master/watch/sample_book.h"

#include <memory>
#include <string>

namespace muster::master {

/// One master's term: its time in charge of the job. Puts the parts together and passes events
/// between them. Made once the log is open; ends with the job, or when a newer master is in charge.
class Term {
 public:
  /// `ended` is called once, from the event loop, and may destroy this object.
  Term(const MasterDeps& deps, const MasterOptions& options, Opened opened, EndReport::Ended ended);
  ~Term();
  Term(const Term&) = delete;
  Term& operator=(const Term&) = delete;

  /// Listens, publishes the address, opens the link and enters the first fact.
  Status begin();
  void stop(job::StopAsked asked);
  [[nodiscard]] const std::string& address() const { return admission_.address(); }
  [[nodiscard]] const job::Machine& machine() const { return decider_.machine(); }
  [[nodiscard]] std::string status() const { return report_.status(); }
  [[nodiscard]] const FactHistory& history() const { return clients_.history(); }
  void follow_output(bool on) { output_.audience_follows(on); }
  [[nodiscard]] const SampleBook& samples() const { return samples_; }
  void audience_served() { ending_.told(); }

 private:
  Status publish();
  Status open_link();
  void on_channel(std::unique_ptr<control::Channel> channel);
  void on_link_fact(job::Fact fact);
  void on_released(const Decider::Released& released);
  void tell_audience();
  void fenced(job::Epoch by);
  void end(MasterEnd end);
  [[nodiscard]] Decider::Handlers decider_handlers();
  [[nodiscard]] AgentSupervisor::Handlers agent_handlers();
  [[nodiscard]] Clients::Handlers client_handlers();

  MasterDeps deps_;
  log::Logger log_;
  // The order of destruction matters: those who call back go before those they call.
  Decider decider_;
  Fence fence_;
  Admission admission_;
  JobReport report_;
  AgentSupervisor agents_;
  Clients clients_;
  Streams streams_;
  OutputRelay output_;
  SampleBook samples_;
  Notifier notices_;
  Ending ending_;
  Performer performer_;
  EndReport end_report_;
};

}  // namespace muster::master
