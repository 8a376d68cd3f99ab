#include "inside/horovod_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace muster::inside {
namespace {

using ::testing::HasSubstr;

constexpr const char* kView = R"({"driver":["10.0.0.9:1"],
  "worker":["10.0.0.7:1","10.0.0.8:1","10.0.0.7:2","10.0.0.8:2","10.0.0.7:3"]})";

TEST(HorovodSlots, TellsADriverWhereTheWorkersAre) {
  EXPECT_EQ(worker_list(kView, "driver"), "10.0.0.7:3,10.0.0.8:2");
  EXPECT_EQ(worker_list("no view", "driver"), "");
}

TEST(HorovodSlots, ReadsNumbersAndTexts) {
  const auto slots = parse_slots(
      R"([{"hostname":"h","rank":3,"localRank":"1","crossRank":0,"size":"4","localSize":2,)"
      R"("crossSize":"2","more":null}])");
  ASSERT_TRUE(slots.has_value()) << slots.error().message;
  ASSERT_EQ(slots->size(), 1U);
  const Slot wanted{.host = "h",
                    .rank = 3,
                    .size = 4,
                    .local_rank = 1,
                    .local_size = 2,
                    .cross_rank = 0,
                    .cross_size = 2};
  EXPECT_EQ(slots->front(), wanted);
}

TEST(HorovodSlots, SaysWhatIsWrongWithTheFile) {
  const auto wrong = [](const char* text) {
    const auto slots = parse_slots(text);
    return slots.has_value() ? std::string() : slots.error().message;
  };
  EXPECT_THAT(wrong(""), HasSubstr("malformed")) << "as it is while it is written";
  EXPECT_THAT(wrong(R"([{"hostname":"h")"), HasSubstr("malformed"));
  EXPECT_THAT(wrong("{}"), HasSubstr("not a list"));
  EXPECT_THAT(wrong("[3]"), HasSubstr("no hostname"));
  EXPECT_THAT(wrong(R"([{"hostname":"h","rank":-1}])"), HasSubstr("rank is not a number"));
}

TEST(HorovodSlots, DealsThoseOfAHostByThePositionsOfItsTasks) {
  std::vector<Slot> slots;
  for (const auto& [host, local, rank] :
       {std::tuple("10.0.0.7", 2U, 2U), std::tuple("10.0.0.8", 0U, 3U),
        std::tuple("10.0.0.7", 0U, 0U), std::tuple("10.0.0.7", 1U, 1U)}) {
    slots.push_back({.host = host, .rank = rank, .local_rank = local});
  }
  const auto rank_of = [&](uint32_t index) {
    const auto slot = slot_for(slots, kView, "driver", "worker", index);
    return slot.has_value() ? std::to_string(slot->rank) : slot.error().message;
  };
  EXPECT_EQ(rank_of(0), "0");
  EXPECT_EQ(rank_of(2), "1");
  EXPECT_EQ(rank_of(4), "2");
  EXPECT_EQ(rank_of(1), "3");
  EXPECT_THAT(rank_of(3), HasSubstr("1 of its 4 slots to 10.0.0.8, but this is task 2 there"));
  EXPECT_THAT(rank_of(5), HasSubstr("not in the view"));
}

}  // namespace
}  // namespace muster::inside
