#include "cluster/job_list.h"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

ListPlace at(bool ended, int64_t second, std::string id) {
  return {.ended = ended, .submitted = WallTime(std::chrono::seconds(second)), .id = std::move(id)};
}

TEST(ListPlace, PutsWhatRunsBeforeWhatHasEndedAndTheNewestFirst) {
  EXPECT_LT(at(false, 1, "a"), at(true, 9, "a"));
  EXPECT_LT(at(false, 9, "b"), at(false, 1, "a"));
  EXPECT_LT(at(true, 5, "a"), at(true, 5, "b"));
  EXPECT_EQ(at(true, 5, "a"), at(true, 5, "a"));
}

TEST(ListPlace, IsReadBackFromItsText) {
  const ListPlace place = at(true, 1'700'000'000, "digits-7f3k2q");
  EXPECT_EQ(to_text(place), "1:1700000000000000:digits-7f3k2q");
  EXPECT_EQ(*parse_list_place(to_text(place)), place);
}

TEST(ListPlace, IsNothingElse) {
  for (const char* text : {"", "x", "2:1:a", "1::a", "1:1x:a", "1:1", "1:1:a:b"}) {
    EXPECT_EQ(parse_list_place(text).error().code, Errc::InvalidArgument) << text;
  }
}

}  // namespace
}  // namespace muster::cluster
