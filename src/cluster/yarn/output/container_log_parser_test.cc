#include "cluster/yarn/output/container_log_parser.h"

#include "cluster/yarn/output/tfile.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::cluster::yarn {
namespace {

std::string text(std::string_view words) {
  return std::string{static_cast<char>(words.size() >> 8U), static_cast<char>(words.size())} +
         std::string(words);
}

std::string record(std::string_view key, const std::string& value) {
  const std::string name = text(key);
  std::string bytes{static_cast<char>(name.size())};
  return bytes + name + static_cast<char>(value.size()) + value;
}

struct Found {
  std::vector<std::string> files;
  std::string bytes;

  ContainerLogSink sink() {
    return {.begin = [this](const std::string& container, const std::string& file) -> Result<bool> {
              files.push_back(container + "/" + file);
              return !file.ends_with(".sh");
            },
            .bytes =
                [this](std::string_view some) {
                  bytes += some;
                  return Status();
                }};
  }
};

std::string file(std::string_view name, std::string_view content) {
  return text(name) + text(std::to_string(content.size())) + std::string(content);
}

TEST(ContainerLogParser, HandsOnTheFilesOfContainersInPiecesOfAnySize) {
  const std::string value = file("a.stdout", "hello\n") + file("run.sh", "no") + file("b", "");
  const std::string block = record("VERSION", std::string("\x00\x00\x00\x01", 4)) +
                            record("container_1_0001_01_000002", value) +
                            record("container_1_0001_01_000003", file("c.stdout", "bye"));
  for (const size_t piece : {size_t{1}, size_t{3}, block.size()}) {
    Found found;
    const ContainerLogSink sink = found.sink();
    ContainerLogParser parser(sink);
    for (size_t at = 0; at < block.size(); at += piece) {
      const Status fed = parser.feed(std::string_view(block).substr(at, piece));
      ASSERT_TRUE(fed.has_value()) << fed.error().message;
    }
    EXPECT_TRUE(parser.is_between_records());
    EXPECT_EQ(found.files,
              (std::vector<std::string>{
                  "container_1_0001_01_000002/a.stdout", "container_1_0001_01_000002/run.sh",
                  "container_1_0001_01_000002/b", "container_1_0001_01_000003/c.stdout"}));
    EXPECT_EQ(found.bytes, "hello\nbye");
  }
}

TEST(ContainerLogParser, PutsTheChunksOfAValueTogether) {
  const std::string value = file("a.stdout", "hello");
  const std::string name = text("container_1_0001_01_000002");
  std::string block{static_cast<char>(name.size())};
  block += name;
  block += static_cast<char>(-4);  // Another chunk follows.
  block += value.substr(0, 4);
  block += static_cast<char>(value.size() - 4);
  block += value.substr(4);
  Found found;
  const ContainerLogSink sink = found.sink();
  ContainerLogParser parser(sink);
  ASSERT_TRUE(parser.feed(block).has_value());
  EXPECT_TRUE(parser.is_between_records());
  EXPECT_EQ(found.bytes, "hello");
}

TEST(ContainerLogParser, RefusesWhatIsNoLog) {
  Found found;
  const ContainerLogSink sink = found.sink();
  ContainerLogParser parser(sink);
  EXPECT_EQ(parser.feed(std::string("\x00garbage", 8)).error().code, Errc::Corrupt);
  ContainerLogParser other(sink);
  const std::string value = text("a.stdout") + text("many") + "x";
  EXPECT_EQ(other.feed(record("container_1_0001_01_000002", value)).error().code, Errc::Corrupt);
}

TEST(Tfile, ReadsNumbersOfEveryLength) {
  const auto of = [](std::initializer_list<int> bytes) {
    std::string from;
    for (const int byte : bytes) {
      from += static_cast<char>(byte);
    }
    const TfileNumber number = parse_tfile_number(from + "rest");
    EXPECT_EQ(number.bytes, from.size());
    EXPECT_EQ(parse_tfile_number(std::string_view(from).substr(0, from.size() - 1)).bytes, 0U);
    return number.value;
  };
  EXPECT_EQ(of({0x7f}), 127);
  EXPECT_EQ(of({0xe0}), -32);
  EXPECT_EQ(of({0xcf, 0x03}), 771);
  EXPECT_EQ(of({0xa8, 0x18, 0x65}), 6245);
  EXPECT_EQ(of({0x90, 0x01, 0x00, 0x00}), 65536);
  EXPECT_EQ(of({0x83, 0x40, 0x00, 0x00, 0x00}), 1 << 30);
  EXPECT_EQ(of({0x87, 0, 0, 1, 0, 0, 0, 0, 0}), int64_t{1} << 40);
}

TEST(Tfile, FindsBlocksFromTheEndOn) {
  const std::string magic = "\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";
  const std::string tail = std::string("\0\0\0\0\0\0\0\x40\0\1\0\0", 12) + magic;
  const auto offset = tfile_parts_offset(tail, 200);
  ASSERT_TRUE(offset.has_value()) << offset.error().message;
  EXPECT_EQ(*offset, 0x40U);
  EXPECT_EQ(tfile_parts_offset(tail, 60).error().code, Errc::Corrupt);
  EXPECT_EQ(tfile_parts_offset(std::string(kTfileTailBytes, 'x'), 200).error().code, Errc::Corrupt);
  const auto part = find_tfile_index(
      "\x02\x0b"
      "data:other.\x04none\x01\x02\x03\x11"
      "data:BCFile.index\x02gz\x10\x20\x30");
  ASSERT_TRUE(part.has_value()) << part.error().message;
  EXPECT_EQ(part->compression, TfileCompression::Gzip);
  EXPECT_EQ(part->block, (TfileBlock{.offset = 16, .stored_bytes = 32, .raw_bytes = 48}));
  EXPECT_EQ(find_tfile_index("\x01").error().code, Errc::Corrupt);
  const auto index = parse_tfile_index("\x04none\x02\x01\x02\x03\x04\x05\x06");
  ASSERT_TRUE(index.has_value()) << index.error().message;
  EXPECT_EQ(index->blocks.size(), 2U);
  EXPECT_EQ(parse_tfile_index("\x03lzo\x01").error().code, Errc::Unsupported);
}

}  // namespace
}  // namespace muster::cluster::yarn
