#include "app/commands.h"
#include "client/show/failure.h"
#include "fs/run.h"

namespace muster::app {
namespace {

/// This process's terminal.
class FsTerminal : public fs::Terminal {
 public:
  explicit FsTerminal(client::Console& console) : console_(console) {}

  void out(std::string_view text) override { console_.out(text); }
  void err(std::string_view text) override { console_.err(text); }
  void status(std::string_view text) override { console_.status(text); }
  int fail(const Error& error) override { return client::fail(console_, error); }

 private:
  client::Console& console_;
};

}  // namespace

int run_fs(client::Session& session, const fs::Options& command) {
  FsTerminal terminal(session.console);
  return fs::run({.terminal = terminal,
                  .files = *session.files,
                  .environment = session.environment.all(),
                  .now = session.now()},
                 command);
}

}  // namespace muster::app
