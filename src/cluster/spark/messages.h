#pragma once

#include "base/result.h"
#include "cluster/agent_launch.h"
#include "job/action.h"
#include "job/fact.h"

#include <string>
#include <string_view>
#include <variant>

/// What the master and the driver's Python say to each other: one JSON object per line. The member
/// `do` (from the master) or `is` (from the driver) names the kind.
namespace muster::cluster::spark {

/// A Spark task holds a slot for this container.
struct Granted {
  job::RequestId request;
  job::ContainerId container;
  job::HostName host;
  std::string folder;       ///< The job's folder on that host.
  std::string listen_host;  ///< The numeric IP address that the agent listens on and publishes.
};

/// What the job waits for, in the driver's words; "" for nothing.
struct Waits {
  std::string text;
};

/// Every Spark task of the job has ended; the answer to finish.
struct Finished {};

using DriverMessage =
    std::variant<Granted, job::RequestRefused, job::LaunchFailed, job::ContainerEnded,
                 job::HeadroomReported, job::StopAsked, Waits, Finished>;

/// Parses one line from the driver. Corrupt for anything else.
[[nodiscard]] Result<DriverMessage> parse_driver_message(std::string_view line);

[[nodiscard]] std::string request_line(const job::RequestContainer& request, std::string_view role);
[[nodiscard]] std::string cancel_line(job::RequestId request);
[[nodiscard]] std::string launch_line(const AgentLaunch& launch);
[[nodiscard]] std::string release_line(const job::ContainerId& container);
[[nodiscard]] std::string reconcile_line();
[[nodiscard]] std::string finish_line(std::string_view result);

}  // namespace muster::cluster::spark
