#include "cli/completion.h"

#include "app/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::app {
namespace {

using cli::Kind;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

class FakeOffers : public cli::Offers {
 public:
  Words jobs(Kind kind) override {
    return kind == Kind::LiveJob    ? Words{"digits-2"}
           : kind == Kind::EndedJob ? Words{"digits-1"}
                                    : Words{"digits-2", "digits-1"};
  }
  Words tasks_of(const std::string& job) override {
    return job == "digits-1" ? Words{"ps", "worker", "worker:0"} : Words{};
  }
  Words roles_in(const std::string& file) override {
    return file == "job.yaml" ? Words{"chief", "worker"} : Words{};
  }
  Words clusters() override { return {"local", "yarn", "lab"}; }
};

Words offered(const Words& typed) {
  FakeOffers offers;
  const cli::Completion found = cli::complete(command_table(), typed, offers);
  EXPECT_FALSE(found.files);
  return found.words;
}

bool offers_files(const Words& typed) {
  FakeOffers offers;
  const cli::Completion found = cli::complete(command_table(), typed, offers);
  return found.files && found.words.empty();
}

TEST(Completion, OffersCommands) {
  EXPECT_THAT(offered({"st"}), ElementsAre("status", "stop", "stacks"));
  EXPECT_THAT(offered({"fs", "m"}), ElementsAre("mkdir", "mv"));
  EXPECT_THAT(offered({"help", "val"}), ElementsAre("validate"));
  EXPECT_THAT(offered({""}), Contains("run"));
  EXPECT_THAT(offered({}), Not(Contains("master")));
  EXPECT_THAT(offered({"nothing", "x"}), IsEmpty());
}

TEST(Completion, OffersOptions) {
  EXPECT_THAT(offered({"clean", "--dr"}), ElementsAre("--dry-run"));
  EXPECT_THAT(offered({"fs", "rm", "--sk"}), ElementsAre("--skip-trash"));
  EXPECT_THAT(offered({"clean", "--by"}), IsEmpty());
  EXPECT_THAT(offered({"version", "-"}), ElementsAre("--all", "--json", "--help"));
}

TEST(Completion, OffersJobsThatFitTheCommand) {
  EXPECT_THAT(offered({"status", "d"}), ElementsAre("digits-2", "digits-1"));
  EXPECT_THAT(offered({"stop", ""}), ElementsAre("last", "digits-2"));
  EXPECT_THAT(offered({"tensorboard", "--port", "80", "d"}), ElementsAre("digits-1"));
  EXPECT_THAT(offered({"status", "digits-1", ""}), IsEmpty());
}

TEST(Completion, OffersRolesAndTasks) {
  EXPECT_THAT(offered({"logs", "-f", "digits-1", "w"}), ElementsAre("worker", "worker:0"));
  EXPECT_THAT(offered({"run", "job.yaml", "--exit-code-from", "c"}), ElementsAre("chief"));
  EXPECT_THAT(offered({"run", "--exit-code-from", ""}), IsEmpty());
}

TEST(Completion, OffersClustersInBothForms) {
  EXPECT_THAT(offered({"run", "--on", "l"}), ElementsAre("local", "lab"));
  EXPECT_THAT(offered({"ps", "--on=y"}), ElementsAre("--on=yarn"));
}

TEST(Completion, OffersChoicesAndFrameworks) {
  EXPECT_THAT(offered({"logs", "last", "--stream", "stde"}), ElementsAre("stderr"));
  EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered({"run", "--framework", "p"}), ElementsAre("pytorch"));
}

TEST(Completion, OffersKeysAndTheirValues) {
  EXPECT_THAT(offered({"explain", "restart.win"}), ElementsAre("restart.window"));
  EXPECT_THAT(offered({"explain", "roles.worker.mem"}), Contains("roles.worker.memory"));
  EXPECT_THAT(offered({"run", "--set", "restart.win"}), ElementsAre("restart.window="));
  EXPECT_THAT(offered({"run", "--set", "framework=p"}), ElementsAre("framework=pytorch"));
}

TEST(Completion, OffersTemplates) {
  EXPECT_THAT(offered({"init", "pytorch-d"}), ElementsAre("pytorch-ddp"));
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_TRUE(offers_files({"run", "job"}));
  EXPECT_TRUE(offers_files({"run", "-n", "2", "--", "python3", "tr"}));
  EXPECT_TRUE(offers_files({"fs", "put", "a", ""}));
  EXPECT_TRUE(offers_files({"config", "--spec", ""}));
  EXPECT_FALSE(offers_files({"logs", "last", "--grep", ""}));
}

}  // namespace
}  // namespace muster::app
