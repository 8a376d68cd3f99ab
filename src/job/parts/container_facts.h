#pragma once

#include "job/fact.h"

namespace muster::job {

struct MachineParts;

/// What facts about containers, their agents and hosts mean for several parts. Owns nothing.
class ContainerFacts {
 public:
  explicit ContainerFacts(MachineParts& parts) : parts_(parts) {}

  void take(const ContainerGranted& granted);
  void take(const RequestRefused& refused);
  void take(const LaunchFailed& failed);
  void take(const AgentJoined& joined);
  void take(const AgentSuspected& suspected);
  void take(const AgentLost& lost);
  void take(const ContainerEnded& ended);
  void take(const HostReported& reported);

 private:
  MachineParts& parts_;
};

}  // namespace muster::job
