#include "metrics/block.h"

#include "base/crc32c.h"
#include "metrics/block_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace muster::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Returns any block, odd ones included: values of every kind, series with gaps, subjects of every
/// shape.
Block arbitrary(uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&](uint64_t bound) { return engine() % bound; };
  Block block{.start_s = static_cast<int64_t>(below(1ULL << 32)) - (1LL << 31),
              .step_s = 1 + static_cast<uint32_t>(below(60)),
              .times = 1 + static_cast<uint32_t>(below(12)),
              .subjects = {},
              .columns = {}};
  for (uint64_t i = below(6); i > 0; --i) {
    block.subjects.push_back({.role = below(2) == 0 ? "worker" : "@h" + std::to_string(below(3)),
                              .index = static_cast<uint32_t>(engine()),
                              .attempt = static_cast<uint32_t>(engine())});
  }
  for (uint64_t i = below(6); i > 0; --i) {
    Column column{.metric = {.name = "user.\xC3\xA4 " + std::to_string(i),
                             .unit = below(2) == 0 ? "" : "By",
                             .kind = below(2) == 0 ? Kind::Gauge : Kind::Counter},
                  .values = {},
                  .present = {}};
    const uint64_t flavour = below(5);
    for (size_t cell = 0; cell < block.subjects.size() * block.times; ++cell) {
      const bool present = flavour != 0 || below(3) > 0;
      const double value = flavour == 1   ? std::bit_cast<double>(engine())
                           : flavour == 2 ? -static_cast<double>(below(1ULL << 50))
                           : flavour == 3 ? static_cast<double>(below(100'000)) / 1000
                                          : static_cast<double>(below(3)) * -0.0;
      column.present.push_back(present);
      column.values.push_back(present ? value : 0);
    }
    block.columns.push_back(std::move(column));
  }
  return block;
}

/// Here NaN equals itself, and a negative zero differs from zero.
void expect_same(const Block& one, const Block& other) {
  ASSERT_EQ(one.columns.size(), other.columns.size());
  EXPECT_EQ(one.start_s, other.start_s);
  EXPECT_EQ(one.step_s, other.step_s);
  EXPECT_EQ(one.times, other.times);
  EXPECT_EQ(one.subjects, other.subjects);
  for (size_t i = 0; i < one.columns.size(); ++i) {
    EXPECT_EQ(one.columns[i].metric, other.columns[i].metric);
    EXPECT_EQ(one.columns[i].present, other.columns[i].present);
    ASSERT_EQ(one.columns[i].values.size(), other.columns[i].values.size());
    for (size_t cell = 0; cell < one.columns[i].values.size(); ++cell) {
      EXPECT_EQ(std::bit_cast<uint64_t>(one.columns[i].values[cell]),
                std::bit_cast<uint64_t>(other.columns[i].values[cell]));
    }
  }
}

Block small() {
  return {.start_s = 1'700'000'000,
          .step_s = 1,
          .times = 3,
          .subjects = {{.role = "worker", .index = 0, .attempt = 1}},
          .columns = {{.metric = {.name = "user.loss", .unit = "", .kind = Kind::Gauge},
                       .values = {kNaN, kInf, 0.1},
                       .present = {true, true, true}}}};
}

TEST(Block, ComesBackAsItWas) {
  expect_same(small(), decode(encode(small())).value());
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Block block = arbitrary(seed);
    const std::string bytes = encode(block);
    const Result<Block> back = decode(bytes);
    ASSERT_TRUE(back.has_value()) << back.error().message << " seed " << seed;
    expect_same(block, *back);
    EXPECT_EQ(encode(block), bytes);
  }
}

TEST(Block, GivesOneColumnAlone) {
  Block block = small();
  block.columns.push_back(block.columns[0]);
  block.columns[1].metric.name = "user.step";
  block.columns[1].values = {1, 2, 3};
  const std::string bytes = encode(block);
  const BlockView view = BlockView::open(bytes).value();
  EXPECT_EQ(view.metric(1).name, "user.step");
  EXPECT_EQ(view.column(1).value(), block.columns[1]);
}

TEST(Block, EveryCutAndEveryFlippedBitIsRefused) {
  const std::string bytes = encode(small());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode(bytes.substr(0, size)).error().code, Errc::Corrupt) << size;
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const bool reserved = bit / 8 >= 5 && bit / 8 < 8;
    EXPECT_EQ(decode(flipped).has_value(), reserved) << bit;
  }
}

TEST(Block, AnotherVersionIsNamed) {
  std::string bytes = encode(small());
  bytes[4] = 2;
  const Error error = decode(bytes).error();
  EXPECT_EQ(error.code, Errc::Unsupported);
  EXPECT_EQ(error.message, "a block of samples has version 2; this Muster reads 1");
}

/// The checksum is right, so that the reader sees every lie.
std::string with_payload(const std::string& payload);

TEST(Block, HostileNumbersTakeNoMemory) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = encode(arbitrary(engine() % 64));
    const size_t changes = 1 + engine() % 4;
    std::string payload = bytes.substr(kBlockHeadBytes);
    for (size_t change = 0; change < changes && !payload.empty(); ++change) {
      payload[engine() % payload.size()] = static_cast<char>(engine());
    }
    const Result<Block> read = decode(with_payload(payload));
    if (!read) {
      EXPECT_NE(read.error().code, Errc::Other) << read.error().message;
    }
  }
}

TEST(Block, ManySubjectsInFewBytesAreRefused) {
  // Step, start, times, then a directory that claims subjects which it does not have.
  std::string payload = {1, 0, 10};
  const std::string directory = "\xFF\xFF\x05";
  payload += '\0';
  payload += static_cast<char>(directory.size());
  payload += directory;
  const Result<Block> read = decode(with_payload(payload));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "a block of samples is damaged: it has too many subjects");
}

TEST(BlockFile, PassesOverDamage) {
  const std::string good = encode(small());
  std::string other = good;
  other[4] = 9;
  std::string torn = good.substr(0, good.size() - 5);
  std::string wrong = good;
  wrong[good.size() - 1] ^= 1;
  const std::string bytes = "noise" + good + wrong + other + good + torn;
  BlockFile file(bytes);
  size_t read = 0;
  while (const auto block = file.next()) {
    EXPECT_EQ(*block, good);
    ++read;
  }
  EXPECT_EQ(read, 2U);
  ASSERT_EQ(file.damages().size(), 4U);
  EXPECT_EQ(file.damages()[0], "bytes that are no block (at byte 0)");
  EXPECT_NE(file.damages()[1].find("its checksum is wrong"), std::string::npos);
  EXPECT_NE(file.damages()[2].find("has version 9"), std::string::npos);
  EXPECT_NE(file.damages()[3].find("is cut off"), std::string::npos);
}

TEST(BlockFile, ATornBlockHidesNoneBehindIt) {
  // What an earlier master was writing when it died, and what the next one appended to it.
  const std::string good = encode(small());
  const std::string bytes = good.substr(0, 20) + good;
  BlockFile file(bytes);
  EXPECT_EQ(file.next(), good);
  EXPECT_EQ(file.next(), std::nullopt);
  EXPECT_EQ(file.damages().size(), 1U);
}

std::string with_payload(const std::string& payload) {
  Block empty{.start_s = 0, .step_s = 1, .times = 1, .subjects = {}, .columns = {}};
  std::string head = encode(empty).substr(0, 8);
  const auto put = [&](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) {
      head += static_cast<char>((value >> shift) & 0xFF);
    }
  };
  put(static_cast<uint32_t>(payload.size()));
  put(crc32c(payload));
  return head + payload;
}

}  // namespace
}  // namespace muster::metrics
