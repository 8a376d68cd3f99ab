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

}  // namespace
}  // namespace muster::spec
