#include "client/session.h"

#include "os/file/local_files.h"

#include <chrono>

namespace muster::client {

Result<std::unique_ptr<Session>> Session::open(char** variables) {
  Environment environment(variables);
  MUSTER_TRY(std::filesystem::path home, environment.muster_home());
  return std::make_unique<Session>(std::move(environment), std::move(home));
}

Session::Session(Environment surroundings, std::filesystem::path home_folder)
    : environment(std::move(surroundings)),
      console(environment.screen()),
      home(std::move(home_folder)),
      files(os::make_local_files(nullptr)) {}

Surroundings Session::surroundings() const {
  Surroundings around;
  around.user_config = home.user_config();
  std::error_code error;
  around.working_folder = std::filesystem::current_path(error);
  around.environment = environment.all();
  return around;
}

WallTime Session::now() const {
  // Commands that people run have no loop, and so no clock from one.
  const auto wall = std::chrono::system_clock::now();  // lint: allow(clock) see above
  return std::chrono::time_point_cast<Duration>(wall);
}

std::map<std::string, std::string> Session::process_environment() const {
  std::map<std::string, std::string> variables(environment.all().begin(), environment.all().end());
  variables["MUSTER_HOME"] = home.root().string();
  return variables;
}

}  // namespace muster::client
