#include "feed/arrow.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace muster::feed {
namespace {

std::shared_ptr<const Lease> lease_of(const Column& column, uint64_t rows) {
  const BlockPlan plan(column, rows);
  size_t size = 0;
  for (const auto piece : plan.pieces()) {
    size += piece.size();
  }
  auto copy = std::make_unique<std::byte[]>(size);
  size_t at = 0;
  for (const auto piece : plan.pieces()) {
    std::memcpy(copy.get() + at, piece.data(), piece.size());
    at += piece.size();
  }
  return std::make_shared<const Lease>(std::move(copy), size);
}

constexpr std::array<float, 6> kPixels = {1, 2, 3, 4, 5, 6};
constexpr std::array<int64_t, 3> kLabels = {7, 8, 9};
constexpr std::string_view kText = "abcde";
constexpr std::array<int64_t, 4> kOffsets = {0, 2, 2, 5};
constexpr std::array<uint8_t, 3> kValid = {1, 0, 1};

Column three_rows() {
  return {.look = Look::Row,
          .children = {{.look = Look::List,
                        .item = Item::Float,
                        .width = 2,
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

/// An exported batch; released at the end.
struct Batch {
  ArrowSchema schema{};
  ArrowArray array{};
  ~Batch() {
    if (schema.release != nullptr) {
      schema.release(&schema);
    }
    if (array.release != nullptr) {
      array.release(&array);
    }
  }
};

TEST(Arrow, ExportsColumnsInPlaceAndKeepsTheLease) {
  auto lease = lease_of(three_rows(), 3);
  const std::weak_ptr<const Lease> watched = lease;
  Batch batch;
  ASSERT_TRUE(export_arrow(lease, batch.schema, batch.array).has_value());
  const std::byte* const first = lease->bytes().data();
  const std::byte* const last = first + lease->bytes().size();
  lease.reset();
  EXPECT_FALSE(watched.expired());

  ASSERT_EQ(batch.array.n_children, 3);
  EXPECT_STREQ(batch.schema.format, "+s");
  EXPECT_STREQ(batch.schema.children[0]->format, "+w:2");
  EXPECT_STREQ(batch.schema.children[0]->children[0]->format, "f");
  EXPECT_STREQ(batch.schema.children[1]->format, "l");
  EXPECT_STREQ(batch.schema.children[2]->format, "U");
  EXPECT_EQ(batch.array.children[1]->null_count, 1);
  EXPECT_EQ(*static_cast<const uint8_t*>(batch.array.children[1]->buffers[0]), 0b101);
  const auto* labels = static_cast<const std::byte*>(batch.array.children[1]->buffers[1]);
  EXPECT_TRUE(labels >= first && labels < last);
  EXPECT_EQ(std::memcmp(labels, kLabels.data(), sizeof(kLabels)), 0);

  batch.array.release(&batch.array);
  EXPECT_TRUE(watched.expired());
}

TEST(Arrow, ComesBackThroughImportWithOffsetsAndSlices) {
  const auto lease = lease_of(three_rows(), 3);
  Batch batch;
  ASSERT_TRUE(export_arrow(lease, batch.schema, batch.array).has_value());
  batch.array.length = 2;  // A slice as record batches make them: without the first row.
  for (int i = 0; i < 3; ++i) {
    batch.array.children[i]->offset = 1;
    batch.array.children[i]->length = 2;
  }
  auto import = ArrowImport::of(batch.schema, batch.array);
  ASSERT_TRUE(import.has_value()) << import.error().message;
  const auto back = lease_of((*import)->slice(1, 1), 1);  // The last row.
  const auto view = BlockView::parse(back->bytes());
  ASSERT_TRUE(view.has_value()) << view.error().message;
  EXPECT_EQ(std::memcmp(view->values(view->nodes()[1]).data(), kPixels.data() + 4, 8), 0);
  EXPECT_EQ(std::memcmp(view->values(view->nodes()[2]).data(), kLabels.data() + 2, 8), 0);
  EXPECT_EQ(view->validity(view->nodes()[2])[0], 1);
  const auto text = view->values(view->nodes()[3]);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(text.data()), text.size()), "cde");
  EXPECT_EQ(view->name(view->nodes()[3]), "text");
}

TEST(Arrow, NamesTheColumnThatCannotBeFed) {
  const auto lease = lease_of(three_rows(), 3);
  Batch batch;
  ASSERT_TRUE(export_arrow(lease, batch.schema, batch.array).has_value());
  batch.schema.children[1]->format = "tsu:UTC";
  const auto import = ArrowImport::of(batch.schema, batch.array);
  ASSERT_FALSE(import.has_value());
  EXPECT_EQ(import.error().code, Errc::Unsupported);
  EXPECT_NE(import.error().message.find("column \"label\""), std::string::npos);
  EXPECT_NE(import.error().message.find("tsu:UTC"), std::string::npos);
}

}  // namespace
}  // namespace muster::feed
