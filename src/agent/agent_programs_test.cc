// What the programs of an attempt report: on the report socket, in event files, about their pages.
#include "agent/agent_shell_test.h"
#include "scalars/event_bytes_test.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string>

namespace muster::agent {
namespace {

class AgentPrograms : public AgentShell {
 protected:
  AgentPrograms() {
    open_line_socket_ = [this](const os::Path& wanted, os::TakeLine take) {
      return os::listen_for_lines(loop_, wanted, {}, std::move(take));
    };
  }

  /// Returns what the attempt has reported by its end: the last value of each name.
  std::map<std::string, double> told() {
    std::map<std::string, double> values;
    const auto ended = [](const wire::AgentFrame& frame) {
      const auto* fact = std::get_if<wire::AgentFact>(&frame);
      return fact != nullptr && std::holds_alternative<job::AttemptEnded>(fact->fact);
    };
    EXPECT_TRUE(run_until([&] { return std::ranges::any_of(master_.heard(), ended); }));
    for (const wire::AgentFrame& frame : master_.heard()) {
      const auto* beat = std::get_if<wire::Beat>(&frame);
      for (const wire::Samples& each :
           beat == nullptr ? std::vector<wire::Samples>() : beat->samples) {
        for (const metrics::NamedReading& reading : each.named) {
          EXPECT_EQ(each.attempt, kFirst);
          values[reading.metric.name] = reading.value;
        }
      }
    }
    return values;
  }

  /// Runs a Python program.
  void begin_python(const std::string& text) {
    std::ofstream(root_ / "program.py") << text;
    spec_.command = "exec python3 " + (root_ / "program.py").string();
    start();
    prepare(kFirst);
    begin(kFirst);
  }
};

TEST_F(AgentPrograms, PassesOnWhatIsReported) {
  begin_python(R"(
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
line.sendall(b'{"step": 7, "max_steps": 10, "loss": 0.5}\nno json\n')
print(line.makefile().readline(), flush=True)
line.sendall(b'{"last": 3}')
)");
  const auto values = told();
  EXPECT_EQ(values.at("user.step"), 7);
  EXPECT_EQ(values.at("user.step.max"), 10);
  EXPECT_EQ(values.at("user.loss"), 0.5);
  EXPECT_EQ(values.at("user.last"), 3);
  EXPECT_THAT(read("logs/worker-0.1.stdout"), HasSubstr("{\"error\":\"the line must be a JSON"));
  EXPECT_EQ(sink_.count("report.bad_line"), 1U);
}

TEST_F(AgentPrograms, PassesOnWhileItRuns) {
  begin_python(R"(
import os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
line.sendall(b'{"loss": 0.5}\n')
sys.stdin.readline()
import time
time.sleep(60)
)");
  const auto reported = [](const wire::AgentFrame& frame) {
    const auto* beat = std::get_if<wire::Beat>(&frame);
    return beat != nullptr && std::ranges::any_of(beat->samples, [](const wire::Samples& samples) {
             return std::ranges::any_of(samples.named, [](const metrics::NamedReading& reading) {
               return reading.metric.name == "user.loss";
             });
           });
  };
  EXPECT_TRUE(run_until([&] { return std::ranges::any_of(master_.heard(), reported); }));
}

TEST_F(AgentPrograms, SaysOnceThatTooManyNamesAreReported) {
  begin_python(R"(
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
for at in range(200):
    line.sendall(b'{"name%d": 1}\n' % at)
)");
  EXPECT_LE(told().size(), ToldSeries::kNamesMax);
  EXPECT_EQ(sink_.count("report.too_many_names"), 1U);
}

TEST_F(AgentPrograms, ReadsEventFilesOfTheProgram) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::ofstream(root_ / "events", std::ios::binary)
      << scalars::record(scalars::event(now, 5, scalars::simple_value("loss", 0.25F)));
  spec_.tensorboard = spec::Tensorboard{.logdir = "logs"};
  begin_python(fmt::format(R"(
import os, shutil
folder = os.environ["TB_LOG_DIR"]
os.makedirs(folder)
shutil.copy("{}", folder + "/events.out.tfevents.1.host." + str(os.getpid()) + ".0")
)",
                           (root_ / "events").string()));
  const auto values = told();
  EXPECT_EQ(values.at("user.step"), 5);
  EXPECT_EQ(values.at("user.loss"), 0.25);
}

TEST_F(AgentPrograms, PublishesTheirPages) {
  begin_python(R"(
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_PUBLISH"].replace("@", "\0"))
line.sendall(b"dashboard 8265 /x\n")
print(line.makefile().readline(), flush=True)
)");
  const auto page = wait_for_fact<job::EndpointPublished>();
  EXPECT_EQ(page.attempt, kFirst);
  EXPECT_EQ(page.name, "dashboard");
  EXPECT_EQ(page.url, "http://localhost:8265/x");
  (void)wait_for_fact<job::AttemptEnded>();
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "ok\n\n");
}

TEST_F(AgentShell, LeavesWhenItCannotReadThePlan) {
  master_.welcomes(false);
  start();
  (void)wait_for<wire::AgentHello>();
  wire::MasterWelcome frame;
  frame.epoch = job::Epoch{1};
  frame.job_id = "test-1";
  frame.plan_json = "{";
  send(frame);
  EXPECT_TRUE(run_until([this] { return !left_.empty(); }));
  EXPECT_EQ(sink_.count("agent.bad-plan"), 1U);
}

}  // namespace
}  // namespace muster::agent
