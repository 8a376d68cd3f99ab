#include "cli/command_line.h"

#include "app/commands.h"
#include "base/text.h"
#include "client/options.h"
#include "fs/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::app {
namespace {

using cli::Command;
using cli::Parameter;
using cli::Printed;
using ::testing::HasSubstr;

std::string mistake(const std::vector<std::string>& arguments) {
  const auto read = cli::parse_command_line(command_table(), arguments);
  const auto* printed = std::get_if<Printed>(&read);
  EXPECT_TRUE(printed != nullptr && printed->exit_status == 2 && printed->out.empty());
  return printed != nullptr ? printed->err : "";
}

/// Returns the options of a correct command line.
template <class Options>
Options options(const std::vector<std::string>& arguments) {
  const auto read = cli::parse_command_line(command_table(), arguments);
  const auto* command = std::get_if<Command>(&read);
  EXPECT_NE(command, nullptr) << std::get<Printed>(read).err;
  return command == nullptr ? Options() : *std::static_pointer_cast<Options>(command->options);
}

TEST(CommandLine, LeavesArgumentsAfterDashesToTheJob) {
  const auto run =
      options<client::RunCommand>({"run", "-n", "4", "--", "python", "t.py", "--json", "--", "x"});
  EXPECT_EQ(run.spec.tasks, 4U);
  EXPECT_FALSE(run.json);
  EXPECT_EQ(run.spec.arguments, (std::vector<std::string>{"python", "t.py", "--json", "--", "x"}));
}

TEST(CommandLine, TakesAnOptionOncePerValue) {
  const auto run = options<client::RunCommand>({"run", "--set", "a=1", "job.yaml", "--set", "b=2"});
  EXPECT_EQ(run.spec.spec, "job.yaml");
  EXPECT_EQ(run.spec.sets, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(mistake({"logs", "last", "--tail", "1", "--tail=2"}),
            "muster: logs: --tail is given twice (see `muster logs --help`)\n");
}

TEST(CommandLine, ReadsValuesInEveryForm) {
  const auto run = options<client::RunCommand>(
      {"run", "-qn4", "--name=a=b", "--on-interrupt", "stop", "--", "x"});
  EXPECT_TRUE(run.quiet);
  EXPECT_EQ(run.spec.tasks, 4U);
  EXPECT_EQ(run.spec.name, "a=b");
  EXPECT_EQ(run.on_interrupt, client::OnInterrupt::Stop);
  EXPECT_EQ(options<client::LogsOptions>({"logs", "last", "--grep", "-x"}).grep, "-x");
  EXPECT_EQ(options<client::PortalOptions>({"portal", "--port", "8080"}).port, 8080);
  EXPECT_EQ(options<client::MasterCommand>({"master", "--job", "f", "--lock-fd", "7"}).lock_fd, 7);
}

TEST(CommandLine, SuggestsTheNearestCommandAndOption) {
  EXPECT_EQ(mistake({"rnu", "x"}),
            "muster: there is no command `rnu`; did you mean `muster run`?\n");
  EXPECT_EQ(mistake({"frobnicate"}),
            "muster: there is no command `frobnicate`; `muster --help` lists them\n");
  EXPECT_EQ(mistake({"status", "last", "--jsn"}),
            "muster: status: there is no option --jsn; did you mean --json? (see `muster status "
            "--help`)\n");
  EXPECT_EQ(mistake({"--versoin"}),
            "muster: there is no option --versoin; did you mean --version? (see `muster "
            "--help`)\n");
}

TEST(CommandLine, SaysWhatAMistakeWasToBe) {
  EXPECT_EQ(mistake({"run", "-n", "4", "python3", "train.py"}),
            "muster: run: unexpected argument `train.py`; the command to run comes after --, as in "
            "muster run -n 4 -- python3 train.py (see `muster run --help`)\n");
  EXPECT_EQ(mistake({"status", "last", "more"}),
            "muster: status: unexpected argument `more` (see `muster status --help`)\n");
  EXPECT_EQ(mistake({"run", "--ports", "http", "--", "x"}),
            "muster: run: there is no option --ports; ports is a key of the specification: --set "
            "roles.worker.ports=... (see `muster run --help`)\n");
  EXPECT_EQ(mistake({"status"}),
            "muster: status: name a job: its id, the beginning of it, or `last`; `muster ps --all` "
            "lists them (see `muster status --help`)\n");
  EXPECT_EQ(mistake({"-n", "4", "--", "x"}),
            "muster: -n is an option of a command, as in muster run -n (see `muster "
            "--help`)\n");
  EXPECT_EQ(mistake({"ps", "-x"}), "muster: ps: there is no option -x (see `muster ps --help`)\n");
}

TEST(CommandLine, KnowsTheOptionsOfOtherLaunchers) {
  for (const char* option : {"--nproc-per-node=2", "--nproc_per_node", "-np", "--nnodes"}) {
    EXPECT_THAT(mistake({"run", option, "2", "train.py"}),
                HasSubstr(": -n is the number of tasks, on all hosts together, as in -n 4"));
  }
  EXPECT_EQ(mistake({"submit", "--rdzv-endpoint=h:1", "--", "x"}),
            "muster: submit: there is no option --rdzv-endpoint: leave it out, Muster places the "
            "tasks and brings them together (see `muster submit --help`)\n");
  EXPECT_THAT(mistake({"run", "-n", "2", "-m", "pkg.train"}), HasSubstr("-- python3 -m MODULE"));
  EXPECT_THAT(mistake({"run", "-N2", "--", "x"}), HasSubstr("no option -N2: -n is the number"));
  EXPECT_THAT(mistake({"run", "--mem=4G", "--", "x"}), HasSubstr("--memory 8g"));
  EXPECT_THAT(mistake({"run", "--gres=gpu:2", "--", "x"}), HasSubstr("--gpus 1"));
  EXPECT_THAT(mistake({"run", "-e", "A=b", "--", "x"}), HasSubstr("--set env.NAME=VALUE"));
  EXPECT_THAT(mistake({"run", "-it", "ubuntu", "bash"}), HasSubstr("muster shell"));
}

TEST(CommandLine, KnowsTheCommandsOfOtherPrograms) {
  EXPECT_EQ(mistake({"squeue"}),
            "muster: there is no command `squeue`; did you mean `muster ps`?\n");
  EXPECT_THAT(mistake({"kill", "x"}), HasSubstr("did you mean `muster stop`?"));
  EXPECT_THAT(mistake({"attach", "x"}), HasSubstr("did you mean `muster logs -f`?"));
  EXPECT_THAT(mistake({"python3", "train.py"}), HasSubstr("did you mean `muster run`?"));
}

TEST(CommandLine, KnowsFilesInTheCommandsPlace) {
  EXPECT_EQ(mistake({"train.py", "--lr", "1"}),
            "muster: there is no command `train.py`; did you mean `muster run -- python3 "
            "train.py`?\n");
  EXPECT_THAT(mistake({"job.yaml"}), HasSubstr("did you mean `muster run job.yaml`?"));
  EXPECT_THAT(mistake({"fs", "x.py"}), HasSubstr("`muster fs --help` lists them"));
}

TEST(CommandLine, EveryCommandThatIsOfferedIsThere) {
  const cli::Table table = command_table();
  for (const cli::Foreign& each : table.foreign) {
    const std::string instead(each.instead.substr(0, each.instead.find(' ')));
    EXPECT_NE(find_command(table, std::vector<std::string>{instead}), nullptr) << instead;
    for (const std::string_view name : each.names) {
      EXPECT_EQ(find_command(table, std::vector<std::string>{std::string(name)}), nullptr) << name;
    }
  }
}

TEST(CommandLine, SaysWhereArgumentsOfAProgramGo) {
  EXPECT_EQ(mistake({"run", "train.py", "--epochs", "5"}),
            "muster: run: there is no option --epochs; arguments of a program come after --, as in "
            "muster run -n 4 -- python3 train.py --epochs 5 (see `muster run --help`)\n");
}

TEST(CommandLine, SaysWhichValueIsWrong) {
  EXPECT_EQ(mistake({"run", "-n", "many", "--", "x"}),
            "muster: run: -n must be a whole number, 1 or more, not `many` (see `muster run "
            "--help`)\n");
  EXPECT_EQ(mistake({"portal", "--port", "70000"}),
            "muster: portal: --port must be a port, 0 to 65535, not `70000` (see `muster portal "
            "--help`)\n");
  EXPECT_EQ(mistake({"run", "--on"}),
            "muster: run: --on needs a value: CLUSTER (see `muster run --help`)\n");
  EXPECT_EQ(mistake({"run", "--on", "--json"}),
            "muster: run: --on needs a value: CLUSTER (see `muster run --help`)\n");
  EXPECT_EQ(mistake({"run", "--json=yes"}),
            "muster: run: --json takes no value (see `muster run --help`)\n");
  EXPECT_EQ(mistake({"run", "--on-interrupt", "nothing"}),
            "muster: run: --on-interrupt must be auto, detach, stop or interrupt, not `nothing` "
            "(see `muster run --help`)\n");
  EXPECT_EQ(
      mistake({"completion", "ksh"}),
      "muster: completion: SHELL must be bash, zsh or fish, not `ksh` (see `muster completion "
      "--help`)\n");
}

TEST(CommandLine, KeepsControlCharactersFromTheTerminal) {
  EXPECT_EQ(mistake({"\x1b[31m"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"run", "--\x1b[31m"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"ps", "\x1b[31m"}).find('\x1b'), std::string::npos);
}

TEST(CommandLine, TakesTheCommandsOfFs) {
  const auto put = options<fs::Options>({"fs", "put", "-f", "--", "-", "a", "--b", "/to/"});
  EXPECT_EQ(put.verb, fs::Verb::Put);
  EXPECT_TRUE(put.force);
  EXPECT_EQ(put.paths, (std::vector<std::string>{"-", "a", "--b", "/to/"}));
}

TEST(CommandLine, TakesTheOptionsOfHadoopsShell) {
  const auto rm = options<fs::Options>({"fs", "rm", "-rf", "-skipTrash", "/a"});
  EXPECT_TRUE(rm.recursive && rm.force && rm.skip_trash);
  EXPECT_EQ(rm.paths, std::vector<std::string>{"/a"});
  EXPECT_TRUE(options<fs::Options>({"fs", "ls", "-h"}).human);
}

TEST(CommandLine, SaysWhatAMistakeOfFsWasToBe) {
  EXPECT_EQ(mistake({"fs", "lss", "/"}),
            "muster: there is no command `fs lss`; did you mean `muster fs ls`?\n");
  EXPECT_EQ(mistake({"fs"}),
            "muster: fs: name a command: ls, cat, put, get, rm, mkdir, mv, stat (see `muster fs "
            "--help`)\n");
  EXPECT_EQ(mistake({"fs", "rm"}), "muster: fs rm: name a path (see `muster fs rm --help`)\n");
}

TEST(CommandLine, LeavesTonysArgumentsAsTheyAre) {
  EXPECT_EQ(options<client::TonyOptions>({"tony", "--convert", "-executes", "a b", "--"}).arguments,
            (std::vector<std::string>{"--convert", "-executes", "a b", "--"}));
}

TEST(CommandTable, ExamplesAreRightAndNameTheirCommand) {
  const cli::Table table = command_table();
  for (const Command& row : table.rows) {
    SCOPED_TRACE(row.name);
    ASSERT_TRUE(row.example.starts_with("muster " + std::string(row.name)));
    std::vector<std::string> arguments;
    for (const std::string_view argument : split(row.example, ' ')) {
      arguments.emplace_back(argument);
    }
    arguments.erase(arguments.begin());
    const auto read = cli::parse_command_line(command_table(), arguments);
    const auto* command = std::get_if<Command>(&read);
    ASSERT_NE(command, nullptr) << std::get<Printed>(read).err;
    EXPECT_TRUE(command->name.starts_with(row.name));
  }
}

TEST(CommandTable, RefusesEachMistakeInEveryCommandInOneLine) {
  const cli::Table table = command_table();
  for (const Command& row : table.rows) {
    if (!row.run || row.name == "tony") {
      continue;
    }
    SCOPED_TRACE(row.name);
    std::vector<std::string> name;
    for (const std::string_view part : split(row.name, ' ')) {
      name.emplace_back(part);
    }
    const auto refused = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.begin(), name.begin(), name.end());
      const std::string text = mistake(arguments);
      EXPECT_EQ(std::ranges::count(text, '\n'), 1);
      return text;
    };
    EXPECT_NE(refused({"--certainly-not"}).find("there is no option --certainly-not"),
              std::string::npos);
    for (const Parameter& each : row.parameters) {
      if (each.is_option() && !each.is_flag()) {
        EXPECT_FALSE(each.value.empty());
        EXPECT_NE(refused({std::string(each.names.back())}).find("needs a value"),
                  std::string::npos);
      }
      if (!each.missing.empty()) {
        EXPECT_NE(refused({}).find(each.missing), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace muster::app
