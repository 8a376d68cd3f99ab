#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace muster::cluster {

/// The result of an agent's attempt to have a master started.
struct MasterSought {
  enum class Kind : uint8_t {
    Alive,    ///< A master holds the job's lock; `address` is where it listens, "" while it starts
              ///< up.
    Started,  ///< There was none: this agent got the lock and started one, which will dial.
    Over,     ///< The job has ended: there will be no master.
  };
  Kind kind = Kind::Alive;
  std::string address;
};

/// How an agent that lost its master gets one back, if that is the agents' own task: on the local
/// cluster, the first agent that gets the job's lock starts the new master. Elsewhere an agent has
/// none of these and waits to be dialled.
class MasterStarter {
 public:
  virtual ~MasterStarter() = default;
  /// Looks for the job's master and starts one if there is none. Quick, and may be called
  /// repeatedly. An error means that none could be started (no memory, no processes, the job's
  /// folder is gone): try again later.
  virtual Result<MasterSought> seek() = 0;
};

}  // namespace muster::cluster
