#include "fs/session.h"

#include <fmt/format.h>

namespace muster::fs {

Result<std::unique_ptr<Session>> Session::open(const Deps& deps, const Options& options) {
  Terminal* const terminal = &deps.terminal;
  MUSTER_TRY(std::unique_ptr<FileSystems> systems,
             FileSystems::open({.files = deps.files,
                                .environment = deps.environment,
                                .now = deps.now,
                                .conf = options.conf,
                                .on_wait = [terminal](std::string_view why) {
                                  terminal->status(why.empty() ? std::string()
                                                               : fmt::format("waiting: {}", why));
                                }}));
  return std::unique_ptr<Session>(new Session(deps, options, std::move(systems)));
}

void Session::fail(const Error& error) {
  const int status = deps_.terminal.fail(error);
  exit_status_ = exit_status_ == 0 ? status : exit_status_;
}

}  // namespace muster::fs
