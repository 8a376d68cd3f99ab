#pragma once

#include "app/environment.h"
#include "client/console.h"
#include "client/home.h"
#include "client/job_source.h"
#include "eventlog/replay.h"
#include "os/files.h"

#include <filesystem>
#include <memory>
#include <string>

namespace muster::app {

/// What every command of a person has at hand.
struct Session {
  Environment environment;
  client::Console console;
  client::Home home;
  std::unique_ptr<os::Files> files;

  /// Reads the surroundings; an error if there is no home.
  static Result<std::unique_ptr<Session>> open(char** variables);

  explicit Session(Environment surroundings, std::filesystem::path home_folder);

  [[nodiscard]] client::Surroundings surroundings() const;
  [[nodiscard]] WallTime now() const;
};

/// How Plans are made everywhere in this binary: from the resolved Spec's text.
[[nodiscard]] eventlog::PlanOf plan_of();

/// The version of this binary.
inline constexpr std::string_view kVersion = MUSTER_VERSION;

}  // namespace muster::app
