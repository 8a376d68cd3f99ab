#include "spec/write/serialize.h"

#include "spec/read/layers.h"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

TEST(ToYaml, ShowsTheQuickFormAsAFile) {
  const auto spec = from_quick({.tasks = "4",
                                .framework = "pytorch",
                                .roles = {"ps=1,memory=2g"},
                                .command = {"python", "train.py"}});
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(to_yaml(*spec),
            "name: train\n"
            "framework: pytorch\n"
            "command: python train.py\n"
            "roles:\n"
            "  worker: {tasks: 4}\n"
            "  ps: {tasks: 1, memory: 2g}\n"
            "restart: {process: 0, container: 0, host: 0}\n"
            "local: {share_gpus: true}\n");
}

TEST(ToJson, RoundTripsTheQuickForm) {
  const auto spec = from_quick({.tasks = "4", .command = {"python", "train.py"}});
  ASSERT_TRUE(spec.has_value());
  const auto again = parse_json(to_json(*spec));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, *spec);
}

// A client may be older than the job that it asks about.
TEST(ParseJson, LeavesOutKeysThatANewerMusterHas) {
  const auto spec = from_quick({.tasks = "4", .command = {"python", "train.py"}});
  ASSERT_TRUE(spec.has_value());
  std::string text = to_json(*spec);
  const size_t roles = text.find("\"roles\"");
  ASSERT_NE(roles, std::string::npos);
  text.insert(roles, R"("newer": {"a": [1, {"b": null}]}, )");
  const size_t memory = text.find("\"memory\"", roles);
  ASSERT_NE(memory, std::string::npos);
  text.insert(memory, R"("newest": true, )");
  const auto again = parse_json(text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, *spec);
}

}  // namespace
}  // namespace muster::spec
