#include "cluster/yarn/link/container_end.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using hadoop::yarn::ContainerStatus;
using hadoop::yarn::ExitStatus;
using job::ContainerEndKind;

ContainerEndKind kind(int32_t exit_status, bool released = false) {
  return end_of({.id = {}, .exit_status = exit_status}, released).kind;
}
ContainerEndKind kind(ExitStatus status, bool released = false) {
  return kind(static_cast<int32_t>(status), released);
}

TEST(ContainerEnd, TellsWhoseEndItWas) {
  EXPECT_EQ(kind(0), ContainerEndKind::Completed);
  EXPECT_EQ(kind(7), ContainerEndKind::Completed);
  EXPECT_EQ(kind(137), ContainerEndKind::Killed);
  EXPECT_EQ(kind(143, true), ContainerEndKind::Released);
  EXPECT_EQ(kind(ExitStatus::Aborted), ContainerEndKind::HostLost);
  EXPECT_EQ(kind(ExitStatus::Aborted, true), ContainerEndKind::Released);
  EXPECT_EQ(kind(ExitStatus::Preempted), ContainerEndKind::Preempted);
  EXPECT_EQ(kind(ExitStatus::OverMemory), ContainerEndKind::OverMemory);
  EXPECT_EQ(kind(ExitStatus::Invalid), ContainerEndKind::LaunchFailed);
}

TEST(ContainerEnd, CarriesTheClustersExitStatus) {
  EXPECT_EQ(end_of({.id = {}, .exit_status = -104}, false).cluster_code, "-104");
  EXPECT_EQ(end_of({.id = {}, .exit_status = 143}, false).cluster_code, "143");
}

TEST(ContainerEnd, KeepsTheClustersWordsAndRealExitCodes) {
  const auto seven = end_of({.id = {}, .exit_status = 7, .diagnostics = "oops\n"}, false);
  EXPECT_EQ(seven.exit_code, 7);
  EXPECT_NE(seven.diagnostics.find("oops"), std::string::npos);
  const auto lost = end_of({.id = {}, .exit_status = -100}, false);
  EXPECT_EQ(lost.exit_code, std::nullopt);
}

TEST(ContainerEnd, LeavesJavasStackTracesOut) {
  const auto ended = end_of({.id = {},
                             .exit_status = -1000,
                             .diagnostics = "[2026-11-21 15:09:19.638]File does not exist: /a\n"
                                            "java.io.FileNotFoundException: File does not exist: "
                                            "/a\n\tat org.apache.hadoop.A.b(A.java:1842)\n"
                                            "Caused by: it went\n\t... 8 more\n"},
                            false);
  EXPECT_EQ(ended.diagnostics,
            "never ran: its files or its set-up failed: File does not exist: /a\n"
            "Caused by: it went");
}

TEST(ContainerEnd, TellsOfAnApplicationsEndInOneLine) {
  EXPECT_EQ(words_of_end("Application application_1_0060 failed 2 times due to AM Container for "
                         "appattempt_1_0060_000002 exited with  exitCode: 137\nFailing this "
                         "attempt.Diagnostics: [2026-11-21 23:01:50.968]Container killed on "
                         "request. Exit code is 137\n[2026-11-21 23:01:50.969]Killed by external "
                         "signal\nFor more detailed output, check the application tracking page: "
                         "http://rm:8088/cluster/app/application_1_0060 Then click on links to "
                         "logs of each attempt.\n. Failing the application."),
            "Application application_1_0060 failed 2 times due to AM Container for "
            "appattempt_1_0060_000002 exited with  exitCode: 137; Container killed on request. "
            "Exit code is 137; Killed by external signal");
}

TEST(ContainerEnd, KeepsWhatANodeSaysOfDocker) {
  const auto ended =
      end_of({.id = {},
              .exit_status = 29,
              .diagnostics = "[2026-11-21 15:09:19.638]Exception from "
                             "container-launch.\nException message: Launch container "
                             "failed\nShell error output: image: hub/ml/tf is not "
                             "trusted.\nDocker image is not trusted\n"},
             false);
  EXPECT_EQ(ended.exit_code, 29);
  EXPECT_NE(ended.diagnostics.find("image: hub/ml/tf is not trusted"), std::string::npos);
}

TEST(ContainerEnd, MemoryIsAskedInWholeMebibytes) {
  const auto asked = resource_of({.memory_bytes = (1 << 20) + 1, .vcores = 2, .gpus = 3});
  EXPECT_EQ(asked.memory_mb, 2);
  EXPECT_EQ(asked.vcores, 2);
  EXPECT_EQ(asked.others.at("yarn.io/gpu").value, 3);
}

TEST(ContainerEnd, WhatIsTooLargeIsToldWithTheNumbers) {
  const hadoop::yarn::Resource largest{
      .memory_mb = 1024, .vcores = 4, .others = {{"yarn.io/gpu", {.value = 2, .unit = {}}}}};
  EXPECT_EQ(never_fits({.memory_mb = 1024, .vcores = 4}, largest), "");
  const std::string large = never_fits({.memory_mb = 2048, .vcores = 1}, largest);
  EXPECT_NE(large.find("2048"), std::string::npos);
  EXPECT_NE(large.find("1024"), std::string::npos);
  EXPECT_NE(
      never_fits({.memory_mb = 1, .vcores = 1, .others = {{"fpga", {.value = 1, .unit = {}}}}},
                 largest)
          .find("no resource type fpga"),
      std::string::npos);
  EXPECT_NE(
      never_fits(
          {.memory_mb = 1, .vcores = 1, .others = {{"yarn.io/gpu", {.value = 3, .unit = {}}}}},
          largest)
          .find("grants at most 2"),
      std::string::npos);
}

}  // namespace
}  // namespace muster::cluster::yarn
