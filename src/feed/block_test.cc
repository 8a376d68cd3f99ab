#include "feed/block.h"

#include "feed/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

namespace muster::feed {
namespace {

/// A block's bytes in one piece, aligned as in the ring.
class Flat {
 public:
  explicit Flat(const BlockPlan& plan) {
    for (const auto piece : plan.pieces()) {
      size_ += piece.size();
    }
    memory_.reset(new (std::align_val_t{kLine}) std::byte[size_]);
    size_t at = 0;
    for (const auto piece : plan.pieces()) {
      std::memcpy(memory_.get() + at, piece.data(), piece.size());
      at += piece.size();
    }
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t{kLine});
    }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  size_t size_ = 0;
};

constexpr std::array<double, 6> kPixels = {1, 2, 3, 4, 5, 6};
constexpr std::array<int64_t, 2> kLabels = {7, 8};
constexpr std::string_view kText = "abcde";
constexpr std::array<int64_t, 3> kOffsets = {0, 2, 5};
constexpr std::array<uint8_t, 2> kValid = {1, 0};

Column two_rows() {
  return {.look = Look::Tuple,
          .children = {{.look = Look::List,
                        .item = Item::Double,
                        .width = 3,
                        .name = "pixels",
                        .values = std::as_bytes(std::span(kPixels))},
                       {.look = Look::Int,
                        .item = Item::Int64,
                        .name = "label",
                        .values = std::as_bytes(std::span(kLabels)),
                        .validity = kValid},
                       {.look = Look::Text,
                        .variable = true,
                        .name = "text",
                        .values = std::as_bytes(std::span(kText)),
                        .offsets = kOffsets}}};
}

TEST(Block, ComesBackAsItWas) {
  const Column root = two_rows();
  const Flat flat(BlockPlan(root, 2));
  const auto view = BlockView::parse(flat.bytes());
  ASSERT_TRUE(view.has_value()) << view.error().message;
  EXPECT_EQ(view->rows(), 2U);
  ASSERT_EQ(view->nodes().size(), 4U);
  EXPECT_EQ(view->root().children, 3U);
  const Node& pixels = view->nodes()[1];
  EXPECT_EQ(view->name(pixels), "pixels");
  EXPECT_EQ(pixels.width, 3U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view->values(pixels).data()) % kLine, 0U);
  EXPECT_EQ(std::memcmp(view->values(pixels).data(), kPixels.data(), sizeof(kPixels)), 0);
  EXPECT_EQ(view->validity(view->nodes()[2])[1], 0);
  EXPECT_EQ(view->offsets(view->nodes()[3])[1], 2);
  EXPECT_TRUE(view->offsets(pixels).empty());
}

TEST(Block, BuffersThatStandInItNeedOnlyAHead) {
  Column root = two_rows();
  const Flat planned(BlockPlan(root, 2));
  // The same buffers, in the places that the plan gave them.
  const std::span<std::byte> block = planned.bytes();
  const auto view = *BlockView::parse(block);
  for (size_t i = 0; i < root.children.size(); ++i) {
    const Node& node = view.nodes()[i + 1];
    root.children[i].values = view.values(node);
    root.children[i].offsets = view.offsets(node);
    root.children[i].validity = view.validity(node);
  }
  const std::vector<std::byte> before(block.begin(), block.end());
  std::memset(block.data(), 0xff, head_bytes(root));
  const size_t bytes = write_head(block, root, 2);
  EXPECT_LE(bytes, block.size());
  const auto again = BlockView::parse(block.first(bytes));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->name(again->nodes()[1]), "pixels");
  EXPECT_EQ(again->nodes()[3].offsets, view.nodes()[3].offsets);
  EXPECT_EQ(std::memcmp(before.data() + sizeof(BlockHeader), block.data() + sizeof(BlockHeader),
                        head_bytes(root) - sizeof(BlockHeader) - kLine),
            0);
}

TEST(Block, RefusesWhatPointsOutside) {
  const Flat flat(BlockPlan(two_rows(), 2));
  for (size_t size = 0; size < flat.bytes().size(); ++size) {
    EXPECT_FALSE(BlockView::parse(flat.bytes().first(size)).has_value()) << size;
  }
  auto* header = reinterpret_cast<BlockHeader*>(flat.bytes().data());
  header->rows = 3;
  const auto wrong = BlockView::parse(flat.bytes());
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, Errc::Corrupt);
  EXPECT_NE(wrong.error().message.find("node 1"), std::string::npos) << wrong.error().message;
}

/// Reads whatever a view gives, as a reader would.
uint64_t sum_of(const BlockView& view) {
  uint64_t sum = 0;
  for (const Node& node : view.nodes()) {
    for (const std::byte byte : view.values(node)) {
      sum += static_cast<uint8_t>(byte);
    }
    for (const int64_t offset : view.offsets(node)) {
      sum += static_cast<uint64_t>(offset);
    }
    for (const uint8_t valid : view.validity(node)) {
      sum += valid;
    }
    sum += view.name(node).size();
  }
  return sum;
}

TEST(Block, DamageNeverReadsOutside) {
  const Flat flat(BlockPlan(two_rows(), 2));
  std::mt19937_64 random(1);
  const size_t head = sizeof(BlockHeader) + 4 * sizeof(Node);
  size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    const size_t at = random() % head;
    const std::byte was = flat.bytes()[at];
    flat.bytes()[at] = static_cast<std::byte>(random());
    if (const auto view = BlockView::parse(flat.bytes()); view.has_value()) {
      accepted += sum_of(*view) > 0 ? 1U : 0U;
    }
    flat.bytes()[at] = was;
  }
  EXPECT_GT(accepted, 0U);  // Names and unused words may change.
}

}  // namespace
}  // namespace muster::feed
