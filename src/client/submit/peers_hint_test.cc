#include "client/submit/peers_hint.h"

#include "testing/memory_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace muster::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PeersHint : public ::testing::Test {
 protected:
  PeersHint() {
    spec_.command = "python3 train.py --epochs 3";
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].tasks = 2;
    EXPECT_TRUE(files_.make_folders("/home/me", 0700).has_value());
    write("import torch.distributed as dist\ndist.init_process_group('gloo')\n");
  }

  void write(const std::string& text) {
    EXPECT_TRUE(files_.write("/home/me/train.py", text, {.mode = 0600}).has_value());
  }
  std::string hint() { return peers_hint(files_, spec_, "/home/me"); }

  testing::MemoryTree tree_;
  testing::MemoryFiles files_{tree_};
  spec::Spec spec_;
};

TEST_F(PeersHint, NamesTheFrameworkThatAProgramCalls) {
  EXPECT_THAT(hint(), HasSubstr("train.py calls init_process_group(...), but the job has no "
                                "framework, so its tasks find no RANK and MASTER_ADDR"));
  EXPECT_THAT(hint(), HasSubstr("--framework pytorch"));
  const std::map<std::string, std::string> frameworks = {
      {"deepspeed.init_distributed()", "pytorch"},
      {"accelerator = Accelerator()", "pytorch"},
      {"tf.distribute.MultiWorkerMirroredStrategy()", "tensorflow"},
      {"tf.distribute.cluster_resolver.TFConfigClusterResolver()", "tensorflow"},
      {"jax.distributed.initialize()", "jax"},
      {"hvd.init()", "horovod"},
  };
  for (const auto& [call, framework] : frameworks) {
    write(call + "\n");
    EXPECT_THAT(hint(), HasSubstr("--framework " + framework + ",")) << call;
  }
}

TEST_F(PeersHint, ReadsTheFileThatTheTasksFindUnderTheName) {
  spec_.files = {{.src = "v2.py", .as = "train.py"}};
  EXPECT_THAT(hint(), IsEmpty());
  ASSERT_TRUE(files_.write("/home/me/v2.py", "hvd.init()", {.mode = 0600}).has_value());
  EXPECT_THAT(hint(), HasSubstr("--framework horovod"));
}

TEST_F(PeersHint, IsSilentWhereNobodyIsMissed) {
  spec_.roles[0].tasks = 1;
  EXPECT_THAT(hint(), IsEmpty());
  spec_.roles[0].tasks = 2;
  spec_.framework = spec::Framework::Pytorch;
  EXPECT_THAT(hint(), IsEmpty());
  spec_.framework = spec::Framework::Generic;
  spec_.variables = {{"MASTER_ADDR", "{{host}}"}};
  EXPECT_THAT(hint(), IsEmpty());
}

TEST_F(PeersHint, IsSilentAboutProgramsThatHelpThemselves) {
  write("os.environ['MASTER_ADDR'] = first\ndist.init_process_group('gloo')\n");
  EXPECT_THAT(hint(), IsEmpty());
  write("mp.spawn(main, nprocs=2)\ndist.init_process_group('gloo')\n");
  EXPECT_THAT(hint(), IsEmpty());
  write("print('alone')\n");
  EXPECT_THAT(hint(), IsEmpty());
}

TEST_F(PeersHint, IsSilentAboutWhatCannotBeRead) {
  spec_.command = "python3 gone.py";
  EXPECT_THAT(hint(), IsEmpty());
  spec_.command = "make train";
  EXPECT_THAT(hint(), IsEmpty());
}

}  // namespace
}  // namespace muster::client
