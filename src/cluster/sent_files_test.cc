#include "cluster/sent_files.h"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

TEST(SentFilesText, ReadsBackWhatItWrites) {
  const SentFiles sent{.job_name = "a \"quoted\" name",
                       .submitted = WallTime(std::chrono::microseconds(1'764'000'000'000'001)),
                       .files = {{.name = "files/1/src.tar", .content = "abc", .bytes = 1U << 30},
                                 {.name = "files/2/empty", .content = "def", .bytes = 0}}};
  const Result<SentFiles> read = parse_sent_files(to_text(sent));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, sent);
}

TEST(SentFilesText, RefusesAnythingElse) {
  const std::string good = to_text({.job_name = "n", .submitted = {}, .files = {{"f", "c", 7}}});
  ASSERT_TRUE(parse_sent_files(good).has_value());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& bad :
       {std::string(), std::string("[]"), good.substr(0, good.size() / 2),
        changed("muster.sent/1", "muster.sent/2"), changed("\"bytes\":7", "\"bytes\":-7"),
        changed("\"bytes\":7", "\"bytes\":\"7\""), changed("\"content\"", "\"other\""),
        changed("[{", "[1,{"), changed("\"submitted_us\":0", "\"submitted_us\":0.5")}) {
    const Result<SentFiles> read = parse_sent_files(bad);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().code, Errc::Corrupt);
  }
}

}  // namespace
}  // namespace muster::cluster
