#include "feed/tfrecord.h"

#include <gtest/gtest.h>

namespace muster::feed {
namespace {

TEST(TfRecord, IsSplitAsItWasWritten) {
  std::string file;
  append_record(file, "");
  append_record(file, "hello");
  append_record(file, std::string(70'000, 'x'));
  const auto split = split_records(file);
  ASSERT_TRUE(split.has_value());
  ASSERT_EQ(split->records.size(), 3U);
  EXPECT_EQ(split->records[1], "hello");
  EXPECT_EQ(split->used, file.size());
  for (size_t size = 0; size < 40; ++size) {  // Cut anywhere: complete records, the rest left over.
    const auto part = split_records(std::string_view(file).substr(0, size));
    ASSERT_TRUE(part.has_value());
    EXPECT_EQ(part->records.size(), size < 16 ? 0U : (size < 37 ? 1U : 2U)) << size;
  }
}

TEST(TfRecord, NamesWhereItIsDamaged) {
  std::string file;
  append_record(file, "one");
  append_record(file, "two");
  for (size_t at = 19; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto split = split_records(damaged);
    ASSERT_FALSE(split.has_value()) << at;
    EXPECT_NE(split.error().message.find("not a TFRecord at byte 19"), std::string::npos);
  }
}

}  // namespace
}  // namespace muster::feed
