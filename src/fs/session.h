#pragma once

#include "fs/file_systems.h"
#include "fs/options.h"
#include "fs/run.h"
#include "fs/unfinished.h"

#include <memory>
#include <string_view>
#include <utility>

namespace muster::fs {

/// What one `muster fs` command works with. Must outlive its coroutines.
class Session {
 public:
  /// Errors: as FileSystems::open.
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(const Deps& deps,
                                                             const Options& options);

  [[nodiscard]] Result<Place> place(std::string_view argument) { return systems_->place(argument); }

  [[nodiscard]] Terminal& terminal() { return deps_.terminal; }
  [[nodiscard]] os::Files& files() { return deps_.files; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] rt::IoLoop& loop() { return systems_->loop(); }
  [[nodiscard]] const hadoop::Configuration& configuration() const {
    return systems_->configuration();
  }
  [[nodiscard]] Unfinished& unfinished() { return unfinished_; }

  /// Prints an error and remembers the exit status of the first.
  void fail(const Error& error);
  [[nodiscard]] int exit_status() const { return exit_status_; }

 private:
  Session(const Deps& deps, Options options, std::unique_ptr<FileSystems> systems)
      : deps_(deps), options_(std::move(options)), systems_(std::move(systems)) {}

  Deps deps_;
  Options options_;
  std::unique_ptr<FileSystems> systems_;
  Unfinished unfinished_;
  int exit_status_ = 0;
};

}  // namespace muster::fs
