#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A block: some rows as columns, in one piece of memory without pointers.
///
///     BlockHeader | Node * nodes, a tree in preorder, the first is the row itself | names |
///     buffers
///
/// Every buffer starts at a multiple of 64 bytes from the block's start. Numbers are in the byte
/// order of the host: a block never leaves it.
namespace muster::feed {

/// What a value was in Python, so that it comes out the way it went in.
enum class Look : uint8_t {
  Int = 1,
  Float = 2,
  Bool = 3,
  Bytes = 4,
  Text = 5,
  List = 6,
  Tuple = 7,
  Dict = 8,     ///< Children with names.
  Row = 9,      ///< pyspark's Row: children with names.
  Array = 10,   ///< numpy.ndarray of `shape`.
  Scalar = 11,  ///< A numpy scalar.
  /// The whole block is one pickled list of rows, in the root's values.
  Pickled = 12,
};

/// How one number is stored.
enum class Item : uint8_t {
  None = 0,
  Int8 = 1,
  Int16 = 2,
  Int32 = 3,
  Int64 = 4,
  UInt8 = 5,
  UInt16 = 6,
  UInt32 = 7,
  UInt64 = 8,
  Half = 9,
  Float = 10,
  Double = 11,
  Bool = 12,  ///< One byte, 0 or 1.
};

/// Bytes of one; 0 of None.
[[nodiscard]] size_t size_of(Item item);

inline constexpr size_t kMostDimensions = 8;

/// One column, or the row and other values that are made of columns.
///
/// - A leaf of numbers holds `rows * width` items; a variable one (Bytes, Text, a List or Tuple of
///   numbers whose length differs by row) has rows + 1 offsets, in items, from 0.
/// - With children (List, Tuple, Dict, Row) it has no buffers of its own.
struct Node {
  Look look;
  Item item;
  uint8_t variable;
  uint8_t dimensions;
  uint32_t children;  ///< Direct ones.
  uint32_t subtree;   ///< Nodes of it and below.
  uint32_t name_bytes;
  uint64_t name;    ///< Offset of its name in the block.
  uint64_t width;   ///< Items per row.
  uint64_t values;  ///< Offsets in the block; 0: none.
  uint64_t values_bytes;
  uint64_t offsets;                 ///< Of int64.
  uint64_t validity;                ///< One byte per row, 0 where the value is missing.
  uint64_t shape[kMostDimensions];  ///< Of an Array; the product is `width`.
};

struct BlockHeader {
  uint32_t magic;
  uint32_t nodes;
  uint64_t rows;
  uint64_t bytes;  ///< Of the whole block.
};

inline constexpr uint32_t kBlockMagic = 0x4b42724d;
inline constexpr uint32_t kMostNodes = 65'536;

/// A column to be written; the spans are the caller's and must live until it is.
struct Column {
  Look look = Look::Float;
  Item item = Item::None;
  bool variable = false;
  uint64_t width = 1;
  std::vector<uint64_t> shape;
  std::string name;
  std::vector<Column> children;
  std::span<const std::byte> values;
  std::span<const int64_t> offsets;
  std::span<const uint8_t> validity;
};

/// Returns how many bytes at the start of a block of such a column its head takes, that is, where
/// buffers may begin.
[[nodiscard]] size_t head_bytes(const Column& root);

/// Completes a block whose buffers are in it already: all spans of the column are in `block`, at
/// multiples of kLine, after its head. Returns how many bytes of it the block takes.
size_t write_head(std::span<std::byte> block, const Column& root, uint64_t rows);

/// A block in pieces that only need to be concatenated (Producer::put). The first piece is the
/// plan's own; the others are the column's buffers and padding.
class BlockPlan {
 public:
  BlockPlan(const Column& root, uint64_t rows);
  [[nodiscard]] const std::vector<std::span<const std::byte>>& pieces() const { return pieces_; }
  [[nodiscard]] uint64_t rows() const { return rows_; }

  BlockPlan(const BlockPlan&) = delete;
  BlockPlan& operator=(const BlockPlan&) = delete;
  ~BlockPlan() = default;

 private:
  uint64_t place(std::span<const std::byte> buffer);

  std::vector<std::byte> head_;
  std::vector<std::span<const std::byte>> pieces_;
  uint64_t rows_;
  uint64_t end_ = 0;
};

/// A block as it was read. Everything in it has been checked against its size.
class BlockView {
 public:
  /// Corrupt if anything points outside or is inconsistent.
  [[nodiscard]] static Result<BlockView> parse(std::span<const std::byte> bytes);

  [[nodiscard]] uint64_t rows() const { return rows_; }
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] const Node& root() const { return nodes_.front(); }
  [[nodiscard]] std::string_view name(const Node& node) const;
  [[nodiscard]] std::span<const std::byte> values(const Node& node) const {
    return bytes_.subspan(node.values, node.values_bytes);
  }
  /// Returns rows + 1 of them; empty if the node has none.
  [[nodiscard]] std::span<const int64_t> offsets(const Node& node) const;
  /// Returns one per row; empty if nothing is missing.
  [[nodiscard]] std::span<const uint8_t> validity(const Node& node) const;

 private:
  BlockView(std::span<const std::byte> bytes, std::span<const Node> nodes, uint64_t rows)
      : bytes_(bytes), nodes_(nodes), rows_(rows) {}

  std::span<const std::byte> bytes_;
  std::span<const Node> nodes_;
  uint64_t rows_;
};

}  // namespace muster::feed
