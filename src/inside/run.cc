#include "inside/run.h"

#include "inside/peers.h"
#include "inside/printed_variables.h"
#include "inside/rendezvous.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "net/socket.h"
#include "os/process/signals.h"
#include "os/process/spawn.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace muster::inside {
namespace {

struct Options {
  std::string rendezvous;  ///< "10.0.0.7:7000"; empty: none.
  std::string program;     ///< Empty: none.
  std::vector<std::string> argv;
};

Result<Options> parse(const std::vector<std::string>& arguments) {
  Options options;
  size_t at = 0;
  for (; at < arguments.size() && arguments[at] != "--"; at += 2) {
    std::string* const value = arguments[at] == "--rendezvous" ? &options.rendezvous
                               : arguments[at] == "--program"  ? &options.program
                                                               : nullptr;
    if (value == nullptr || at + 1 >= arguments.size()) {
      return user_error("unknown option of muster inside: " + arguments[at] +
                        "; only Muster itself starts it");
    }
    *value = arguments[at + 1];
  }
  if (at + 1 >= arguments.size()) {
    return user_error("muster inside lacks a program; only Muster itself starts it");
  }
  options.argv.assign(arguments.begin() + static_cast<ptrdiff_t>(at) + 1, arguments.end());
  return options;
}

/// Runs the process next to the task's own. Never returns.
[[noreturn]] void serve(rt::Fd listening, pid_t task) {
  // Ends with the task, however that ends, and also if it has ended by now.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != task) {
    ::_exit(0);
  }
  ::prctl(PR_SET_NAME, "muster-kv");
  ::signal(SIGINT, SIG_IGN);  // The end of the task ends this, nothing before.
  ::signal(SIGTERM, SIG_IGN);
  os::ignore_broken_pipes();
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
  }
  rt::IoLoop loop;
  const Rendezvous rendezvous(loop, std::move(listening), Peers(variable("MUSTER_VIEW_FILE")),
                              [](const std::string& host) {
                                complain("framework: refused " + host +
                                         " at the rendezvous: no task of this job runs there");
                              });
  loop.run();
  ::_exit(0);
}

Status start_rendezvous(const std::string& where) {
  MUSTER_TRY(const net::HostPort address, net::parse_host_port(where));
  MUSTER_TRY(
      net::Listening listening,
      net::listen_on({.host = address.host, .port_low = address.port, .port_high = address.port}));
  const pid_t task = ::getpid();
  const pid_t beside = ::fork();
  if (beside < 0) {
    return system_error(errno, "cannot start the rendezvous");
  }
  if (beside == 0) {
    serve(std::move(listening.fd), task);
  }
  return {};
}

Status become(const std::vector<std::string>& argv, const Variables& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) {
    entries.push_back(fmt::format("{}={}", name, value));
  }
  std::vector<char*> variables;
  for (std::string& entry : entries) {
    variables.push_back(entry.data());
  }
  variables.push_back(nullptr);
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execve(pointers[0], pointers.data(), variables.data());
  return system_error(errno, "cannot start " + argv[0]);
}

Status begin(const std::vector<std::string>& arguments) {
  MUSTER_TRY(const Options options, parse(arguments));
  Variables environment = os::own_environment();
  if (!options.rendezvous.empty()) {
    MUSTER_TRY_STATUS(start_rendezvous(options.rendezvous));
  }
  if (!options.program.empty()) {
    MUSTER_TRY(Variables printed,
               printed_variables(options.program, variable("MUSTER_VIEW_FILE"), environment));
    for (auto& [name, value] : printed) {
      environment[name] = std::move(value);
    }
  }
  return become(options.argv, environment);
}

}  // namespace

int run_in_own_folder(const std::vector<std::string>& arguments) {
  constexpr int kNotFound = 127;
  const char* const folder = std::getenv("MUSTER_TASK_FOLDER");
  if (folder != nullptr && ::chdir(folder) != 0) {
    complain(system_error(errno, std::string("cannot enter ") + folder).message);
    return kCannotBegin;
  }
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  if (!arguments.empty()) {
    ::execvp(pointers[0], pointers.data());
    complain(system_error(errno, "cannot start " + arguments[0]).message);
  }
  return kNotFound;
}

int run(const std::vector<std::string>& arguments) {
  complain("framework: " + begin(arguments).error().message);
  return kCannotBegin;
}

}  // namespace muster::inside
