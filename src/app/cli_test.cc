#include "app/cli.h"

#include "app/completion.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

std::string mistake(std::vector<std::string> words) {
  const Command command = parse_command_line(std::move(words));
  const auto* printed = std::get_if<Printed>(&command);
  EXPECT_TRUE(printed != nullptr && printed->exit_status == 2);
  return printed != nullptr ? printed->err : "";
}

TEST(CommandLine, LeavesWordsAfterDashesToTheJob) {
  const Command command =
      parse_command_line({"run", "-n", "4", "--", "python", "t.py", "--json", "--", "x"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->spec.tasks, 4U);
  EXPECT_FALSE(run->json);
  EXPECT_EQ(run->spec.words, (std::vector<std::string>{"python", "t.py", "--json", "--", "x"}));
}

TEST(CommandLine, TakesAnOptionOncePerValue) {
  const Command command = parse_command_line({"run", "--set", "a=1", "job.yaml", "--set", "b=2"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->spec.spec, "job.yaml");
  EXPECT_EQ(run->spec.sets, (std::vector<std::string>{"a=1", "b=2"}));
}

TEST(CommandLine, SuggestsTheNearestCommandAndOption) {
  EXPECT_EQ(mistake({"rnu", "x"}),
            "muster: there is no command \"rnu\"; did you mean `muster run`?\n");
  EXPECT_EQ(mistake({"frobnicate"}),
            "muster: there is no command \"frobnicate\"; `muster --help` lists them\n");
  EXPECT_NE(mistake({"status", "last", "--jsn"}).find("did you mean --json?"), std::string::npos);
}

TEST(CommandLine, SaysWhatAMistakeWasToBe) {
  EXPECT_EQ(mistake({"run", "-n", "4", "python3", "train.py"}),
            "muster: run: train.py stands where only a specification may; the words of a command "
            "come after --, as in muster run -n 4 -- python3 train.py (`muster run --help` tells "
            "more)\n");
  EXPECT_EQ(mistake({"run", "--memory", "2g", "--", "x"}),
            "muster: run: The following argument was not expected: --memory; memory is a key of "
            "the specification: --set roles.worker.memory=... (`muster run --help` tells more)\n");
  EXPECT_EQ(mistake({"run", "-n", "many", "--", "x"}),
            "muster: run: --tasks many is no whole number from 0 on (`muster run --help` tells "
            "more)\n");
  EXPECT_EQ(mistake({"status"}),
            "muster: status: name a job: its id, the beginning of it, or `last`; `muster ps --all` "
            "lists them (`muster status --help` tells more)\n");
  EXPECT_EQ(mistake({"-n", "4", "--", "x"}),
            "muster: -n is an option of a command, as in muster run -n (`muster --help` tells "
            "more)\n");
  EXPECT_EQ(mistake({"run", "--on"}),
            "muster: run: --on needs a value: CLUSTER (`muster run --help` tells more)\n");
  EXPECT_EQ(mistake({"run", "--on-interrupt", "nothing"}),
            "muster: run: --on-interrupt: must be auto, detach or stop, not nothing (`muster run "
            "--help` tells more)\n");
  EXPECT_EQ(mistake({"completion", "ksh"}),
            "muster: completion: shell: must be bash, zsh or fish, not ksh (`muster completion "
            "--help` tells more)\n");
  EXPECT_EQ(mistake({"--versoin"}),
            "muster: The following argument was not expected: --versoin; did you mean --version? "
            "(`muster --help` tells more)\n");
}

TEST(CommandLine, TakesTheCommandsOfFs) {
  const Command command = parse_command_line({"fs", "put", "-f", "--", "-", "a", "--b", "/to/"});
  const auto* fs = std::get_if<FsOptions>(&command);
  ASSERT_NE(fs, nullptr);
  EXPECT_EQ(fs->verb, FsOptions::Verb::Put);
  EXPECT_TRUE(fs->force);
  EXPECT_EQ(fs->paths, (std::vector<std::string>{"-", "a", "--b", "/to/"}));
}

TEST(CommandLine, TakesTheOptionsOfHadoopsShell) {
  const Command command = parse_command_line({"fs", "rm", "-r", "-f", "-skipTrash", "/a"});
  const auto* fs = std::get_if<FsOptions>(&command);
  ASSERT_NE(fs, nullptr);
  EXPECT_TRUE(fs->recursive && fs->force && fs->skip_trash);
  EXPECT_EQ(fs->paths, std::vector<std::string>{"/a"});
}

TEST(CommandLine, SaysWhatAMistakeOfFsWasToBe) {
  EXPECT_EQ(mistake({"fs", "lss", "/"}),
            "muster: there is no command \"fs lss\"; did you mean `muster fs ls`?\n");
  EXPECT_EQ(mistake({"fs"}),
            "muster: fs: name what is to be done: ls, cat, put, get, rm, mkdir, mv, stat (`muster "
            "fs --help` tells more)\n");
  EXPECT_EQ(mistake({"fs", "rm"}),
            "muster: fs rm: name a path (`muster fs rm --help` tells more)\n");
}

TEST(CommandLine, ShowsHelpWithoutFailing) {
  const Command command = parse_command_line({"logs", "--help"});
  const auto* printed = std::get_if<Printed>(&command);
  ASSERT_NE(printed, nullptr);
  EXPECT_EQ(printed->exit_status, 0);
  EXPECT_NE(printed->out.find("--grep"), std::string::npos);
}

TEST(Completion, OffersCommandsOptionsAndJobs) {
  EXPECT_EQ(complete({"st"}, {}), (std::vector<std::string>{"status", "stop"}));
  EXPECT_EQ(complete({"status", "d"}, {"digits-1", "other-2"}),
            (std::vector<std::string>{"digits-1"}));
  EXPECT_EQ(complete({"clean", "--dr"}, {}), (std::vector<std::string>{"--dry-run"}));
  EXPECT_TRUE(complete({"run", "job"}, {"job-1"}).empty());
  EXPECT_EQ(complete({"fs", "m"}, {}), (std::vector<std::string>{"mkdir", "mv"}));
  EXPECT_EQ(complete({"fs", "rm", "--sk"}, {}), (std::vector<std::string>{"--skip-trash"}));
}

}  // namespace
}  // namespace muster::app
