#include "cluster/owner_turns.h"

#include <gtest/gtest.h>

#include <thread>

namespace muster::cluster {
namespace {

TEST(OwnerTurns, AreSomeAtATimeForEachOwner) {
  OwnerTurns turns(2);
  std::shared_ptr<void> first = turns.take("eve");
  const std::shared_ptr<void> second = turns.take("eve");
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(turns.take("eve"), nullptr);
  EXPECT_NE(turns.take("alice"), nullptr) << "nobody else waits";
  std::shared_ptr<void> copy = first;
  first.reset();
  EXPECT_EQ(turns.take("eve"), nullptr) << "it goes on";
  std::thread([&] { copy.reset(); }).join();
  EXPECT_NE(turns.take("eve"), nullptr);
}

}  // namespace
}  // namespace muster::cluster
