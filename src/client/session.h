#pragma once

#include "client/follow/console.h"
#include "client/portal/tickets.h"
#include "client/show/event_files.h"
#include "client/show/remote_files.h"
#include "client/submit/environment.h"
#include "client/submit/job_source.h"
#include "cluster/clusters.h"
#include "cluster/home.h"
#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace muster::client {

/// What every command that a person runs has at hand.
struct Session {
  Environment environment;
  Console console;
  cluster::Home home;
  std::unique_ptr<os::Files> files;
  std::filesystem::path program;  ///< This binary, to start others of it.
  /// The clusters that jobs can be on; set by the wiring before any command runs.
  std::unique_ptr<cluster::Clusters> clusters;
  std::unique_ptr<EventFiles> event_files;    ///< Set with them.
  std::unique_ptr<RemoteFiles> remote_files;  ///< Set with them.
  std::unique_ptr<Tickets> tickets;           ///< Set with them.

  /// Reads the process's environment; an error if there is no home.
  static Result<std::unique_ptr<Session>> open(char** variables);

  explicit Session(Environment surroundings, std::filesystem::path home_folder);

  [[nodiscard]] Surroundings surroundings() const;
  [[nodiscard]] WallTime now() const;
  /// Returns the environment for a job of this machine, its master, and other processes of this
  /// binary.
  [[nodiscard]] std::map<std::string, std::string> process_environment() const;
};

}  // namespace muster::client
