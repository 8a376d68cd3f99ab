#include "verdict/processes.h"

#include "verdict/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::verdict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

job::Failure classify(std::string_view output) {
  auto classifier = Classifier::make({});
  return classifier->classify({.exit = {.exit_code = 1}, .stdout_tail = {}, .stderr_tail = output});
}

constexpr std::string_view kLostPeer =
    "[rank0]: Traceback (most recent call last):\n"
    "[rank0]:   File \"/job/train.py\", line 42, in <module>\n"
    "[rank0]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:317, remote process "
    "exited or there was a network error\n";
constexpr std::string_view kCulprit =
    "[rank1]: Traceback (most recent call last):\n"
    "[rank1]:   File \"/job/train.py\", line 30, in main\n"
    "[rank1]: KeyError: 'bias'\n";

TEST(Processes, AreToldApartByTheirMarks) {
  EXPECT_THAT(split_by_process("[rank1]: a\n[rank0]: b\n[rank1]: c\nd\n"),
              ElementsAre("b\n", "a\nc\n"));
  EXPECT_THAT(split_by_process("[1,0]<stderr>:a\nMon Sep 25 16:52:57 2023[1]<stderr>:b\n"),
              ElementsAre("a\n", "b\n"));
  EXPECT_THAT(split_by_process("(Worker pid=7, ip=10.0.0.1) a\n[default3]:b\n"),
              ElementsAre("a\n", "b\n"));
  EXPECT_THAT(split_by_process("[rank1]: a\n[1]: b\n[0] c\n(pid 7) d\n(Worker pid=) e\n"),
              IsEmpty());
}

TEST(Processes, OfSeveralThatFailTheOneThatWentFirstIsTheReason) {
  const job::Failure failure = classify(std::string(kCulprit).append(kLostPeer));
  EXPECT_EQ(failure.class_name, "user.traceback");
  EXPECT_THAT(failure.evidence, HasSubstr("KeyError: 'bias'"));
  EXPECT_THAT(failure.evidence, Not(HasSubstr("DistBackendError")));
}

TEST(Processes, ThatHaveAllLostAPeerStayVictims) {
  std::string both(kLostPeer);
  both += "[rank2]: RuntimeError: Connection closed by peer [10.0.0.2]:13195\n[rank2]: bye\n";
  EXPECT_EQ(classify(both).class_name, "peer.lost");
}

TEST(Processes, OfMpiAreJudgedLikewise) {
  EXPECT_EQ(classify("[1,1]<stderr>:Traceback (most recent call last):\n"
                     "[1,1]<stderr>:  File \"train.py\", line 12, in <module>\n"
                     "[1,1]<stderr>:FileNotFoundError: [Errno 2] No such file or directory: 'x'\n"
                     "[1,0]<stderr>:Traceback (most recent call last):\n"
                     "[1,0]<stderr>:  File \"train.py\", line 20, in <module>\n"
                     "[1,0]<stderr>:horovod.common.exceptions.HorovodInternalError: Horovod has "
                     "been shut down.\n")
                .class_name,
            "user.missing_file");
}

TEST(Processes, TheFirstThatASignalEndedIsNamedByItsLauncher) {
  std::string output(kLostPeer);
  output +=
      "E0101 elastic/multiprocessing/api.py:833] failed (exitcode: -11) local_rank: 1 (pid: 7)\n";
  const job::Failure failure = classify(output);
  EXPECT_EQ(failure.class_name, "program.segfault");
  EXPECT_THAT(failure.evidence, HasSubstr("local_rank: 1"));
  EXPECT_FALSE(first_signal("failed (exitcode: 1) local_rank: 1"));
  EXPECT_FALSE(first_signal("exited on signal x"));
  EXPECT_EQ(first_signal("process rank 2 exited on signal 9 (Killed)")->signal, 9);
}

}  // namespace
}  // namespace muster::verdict
