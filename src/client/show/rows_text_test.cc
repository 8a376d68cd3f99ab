#include "base/text.h"
#include "client/show/job_rows.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {
namespace {

JobRow row_of(std::string id, WallTime submitted) {
  JobRow row;
  row.id = std::move(id);
  row.result = "failed";
  row.submitted = submitted;
  row.duration = std::chrono::milliseconds(138);
  row.class_name = "user.exit";
  return row;
}

TEST(RowsText, ColumnsAreAsWideAsWhatTheyHold) {
  const WallTime now{std::chrono::hours(100)};
  const std::string text = render_rows({row_of("a-111111", now - std::chrono::seconds(1430)),
                                        row_of("longer-222222", now - std::chrono::seconds(1))},
                                       now, false);
  const std::vector<std::string_view> lines = split(text, '\n');
  ASSERT_GE(lines.size(), 3U);
  const size_t ran = lines[0].find("ran");
  EXPECT_EQ(lines[1].find("138 ms"), ran) << text;
  EXPECT_EQ(lines[2].find("138 ms"), ran) << text;
  EXPECT_EQ(lines[0].find("class"), lines[1].find("user.exit")) << text;
}

}  // namespace
}  // namespace muster::client
