#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"

#include <vector>

namespace muster::job {

class Asks;
class Attempts;
class Gangs;
class Roles;

/// The order of roles: each is asked for once what it waits `after` has come. Owns nothing.
class Admission {
 public:
  Admission(const Deps& deps, Roles& roles, Gangs& gangs, Asks& asks, Attempts& attempts);

  /// Asks for the tasks of every role whose time has come, and gives up those whose time never
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
