#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"

#include <vector>

namespace muster::job {

class Asks;
class Attempts;
class Gangs;
class Roles;

/// The order of roles: containers for each are requested once what it waits for (`after`) has come
/// about. Owns nothing.
class Admission {
 public:
  Admission(const Deps& deps, Roles& roles, Gangs& gangs, Asks& asks, Attempts& attempts);

  /// Requests the tasks of every role whose turn has come, and gives up those whose turn never
  /// will.
  void admit_ready();

 private:
  void admit(const std::vector<RoleIndex>& roles);
  void cannot_run(RoleIndex role, RoleIndex after);

  const Plan& plan_;
  Lives& lives_;
  Roles& roles_;
  Gangs& gangs_;
  Asks& asks_;
  Attempts& attempts_;
};

}  // namespace muster::job
