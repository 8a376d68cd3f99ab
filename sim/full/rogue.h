#pragma once

#include "cluster/link.h"
#include "control/transport.h"
#include "sim/core/truth.h"
#include "sim/world.h"
#include "testing/memory_transport.h"
#include "wire/frame.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::sim {

/// A process that has got hold of a container's key and speaks in its agent's name: with garbage, a
/// hello that hides what runs there, a newer master that does not exist, and facts about others'
/// attempts. It says so once, piece by piece or as fast as it can (the true agent is back in a
/// moment), and goes. Nothing contradicts what it says about the attempts of its own container, so
/// all that it says there is that they are gone.
class Rogue {
 public:
  struct Around {
    World& world;
    testing::MemoryNetwork& network;
    const Truth& truth;
    /// Its container still lives.
    std::function<bool()> lives;
  };

  Rogue(Around around, std::string name, const cluster::LaunchOrder& order);
  ~Rogue();
  Rogue(const Rogue&) = delete;
  Rogue& operator=(const Rogue&) = delete;

  void dial(const std::string& master_address);

 private:
  void begin(std::unique_ptr<control::Channel> channel);
  void say_more();
  [[nodiscard]] wire::AgentHello hello();
  [[nodiscard]] std::string draw_lie();
  [[nodiscard]] job::AttemptId somebody_elses();

  Around around_;
  job::ContainerId container_;
  control::Key key_{};
  Random random_;
  testing::MemoryTransport transport_;
  std::unique_ptr<control::Channel> channel_;
  uint64_t lies_left_;
  Duration pause_max_;  ///< Between two lies.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::sim
