#include "feed/block.h"

#include "feed/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace muster::feed {
namespace {

constexpr std::array<std::byte, kLine> kPadding{};

uint32_t count_nodes(const Column& column) {
  uint32_t count = 1;
  for (const Column& child : column.children) {
    count += count_nodes(child);
  }
  return count;
}

size_t name_bytes(const Column& column) {
  size_t bytes = column.name.size();
  for (const Column& child : column.children) {
    bytes += name_bytes(child);
  }
  return bytes;
}

/// What precedes a block's buffers.
class Head {
 public:
  explicit Head(const Column& root)
      : names_at_(sizeof(BlockHeader) + count_nodes(root) * sizeof(Node)) {}

  /// Adds a column and those below it; `place(buffer)` says where in the block a buffer is.
  template <class Place>
  void add(const Column& column, const Place& place) {
    Node node{};
    node.look = column.look;
    node.item = column.item;
    node.variable = column.variable ? 1 : 0;
    node.dimensions = static_cast<uint8_t>(column.shape.size());
    std::copy(column.shape.begin(), column.shape.end(), std::begin(node.shape));
    node.children = static_cast<uint32_t>(column.children.size());
    node.subtree = count_nodes(column);
    node.name = names_at_ + names_.size();
    node.name_bytes = static_cast<uint32_t>(column.name.size());
    node.width = column.width;
    node.values = place(column.values);
    node.values_bytes = column.values.size();
    node.offsets = place(std::as_bytes(column.offsets));
    node.validity = place(std::as_bytes(column.validity));
    names_ += column.name;
    nodes_.push_back(node);
    for (const Column& child : column.children) {
      add(child, place);
    }
  }

  void write(std::span<std::byte> block, uint64_t rows, uint64_t bytes) const {
    const BlockHeader header{.magic = kBlockMagic,
                             .nodes = static_cast<uint32_t>(nodes_.size()),
                             .rows = rows,
                             .bytes = bytes};
    std::memcpy(block.data(), &header, sizeof(header));
    std::memcpy(block.data() + sizeof(header), nodes_.data(), nodes_.size() * sizeof(Node));
    std::memcpy(block.data() + names_at_, names_.data(), names_.size());
  }

 private:
  size_t names_at_;
  std::vector<Node> nodes_;
  std::string names_;
};

Error damaged_block(size_t node, std::string_view why) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Muster,
          .message = fmt::format("damaged feed block at node {}: {}", node, why)};
}

bool inside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

bool multiplies(uint64_t a, uint64_t b, uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

/// Checks, for one node, what a block's reader may rely on.
class NodeCheck {
 public:
  NodeCheck(std::span<const std::byte> bytes, std::span<const Node> nodes, uint64_t rows)
      : bytes_(bytes), nodes_(nodes), rows_(rows) {}

  [[nodiscard]] const char* fault(size_t index) const {
    const Node& node = nodes_[index];
    if (node.look < Look::Int || node.look > Look::Pickled || node.item > Item::Bool ||
        node.dimensions > kMostDimensions) {
      return "of an unknown kind";
    }
    if (node.subtree == 0 || node.subtree > nodes_.size() - index ||
        !inside(node.name, node.name_bytes, bytes_.size()) ||
        !inside(node.values, node.values_bytes, bytes_.size()) || node.values % kLine != 0 ||
        node.offsets % kLine != 0) {
      return "it points outside the block";
    }
    if (node.validity != 0 && !inside(node.validity, rows_, bytes_.size())) {
      return "its validity points outside the block";
    }
    if (node.offsets != 0 && !inside(node.offsets, (rows_ + 1) * sizeof(int64_t), bytes_.size())) {
      return "its offsets point outside the block";
    }
    return node.children == 0 ? leaf_fault(node) : children_fault(index);
  }

 private:
  [[nodiscard]] const char* children_fault(size_t index) const {
    const Node& node = nodes_[index];
    if (node.look < Look::List || node.look > Look::Row) {
      return "it cannot have children";
    }
    size_t next = index + 1;
    for (uint32_t child = 0; child < node.children; ++child) {
      if (next >= index + node.subtree || nodes_[next].subtree == 0) {
        return "its children are missing";
      }
      next += nodes_[next].subtree;
    }
    return next == index + node.subtree ? nullptr : "its children do not add up";
  }

  [[nodiscard]] const char* leaf_fault(const Node& node) const {
    if (node.subtree != 1) {
      return "it has a subtree but no children";
    }
    if (node.look == Look::Pickled || node.look == Look::Dict || node.look == Look::Row) {
      return nullptr;  // All of its values or none at all.
    }
    const bool text = node.look == Look::Bytes || node.look == Look::Text;
    const size_t item = text ? 1 : size_of(node.item);
    if (node.variable != 0 || text) {
      return variable_fault(node, item);
    }
    if (item == 0) {
      return node.width == 0 ? nullptr : "its numbers have no size";
    }
    uint64_t items = 0;
    uint64_t expected = 0;
    if (!multiplies(rows_, node.width, items) || !multiplies(items, item, expected) ||
        expected != node.values_bytes) {
      return "it has more or fewer values than rows";
    }
    uint64_t volume = 1;
    for (size_t i = 0; i < node.dimensions; ++i) {
      if (!multiplies(volume, node.shape[i], volume)) {
        return "its shape is invalid";
      }
    }
    return node.look != Look::Array || volume == node.width ? nullptr
                                                            : "its shape does not match its values";
  }

  [[nodiscard]] const char* variable_fault(const Node& node, size_t item) const {
    if (item == 0) {
      return "its numbers have no size";
    }
    if (node.offsets == 0) {
      return "its offsets are missing";
    }
    const auto* offsets = reinterpret_cast<const int64_t*>(bytes_.data() + node.offsets);
    if (offsets[0] != 0) {
      return "its offsets do not start at 0";
    }
    for (uint64_t row = 0; row < rows_; ++row) {
      if (offsets[row] > offsets[row + 1]) {
        return "its offsets decrease";
      }
    }
    return static_cast<uint64_t>(offsets[rows_]) == node.values_bytes / item
               ? nullptr
               : "its offsets do not end where its values end";
  }

  std::span<const std::byte> bytes_;
  std::span<const Node> nodes_;
  uint64_t rows_;
};

}  // namespace

size_t size_of(Item item) {
  switch (item) {
    case Item::None:
      return 0;
    case Item::Int8:
    case Item::UInt8:
    case Item::Bool:
      return 1;
    case Item::Int16:
    case Item::UInt16:
    case Item::Half:
      return 2;
    case Item::Int32:
    case Item::UInt32:
    case Item::Float:
      return 4;
    case Item::Int64:
    case Item::UInt64:
    case Item::Double:
      return 8;
  }
  return 0;
}

size_t head_bytes(const Column& root) {
  return padded(sizeof(BlockHeader) + count_nodes(root) * sizeof(Node) + name_bytes(root));
}

size_t write_head(std::span<std::byte> block, const Column& root, uint64_t rows) {
  size_t end = head_bytes(root);
  const auto place = [&](std::span<const std::byte> buffer) -> uint64_t {
    if (buffer.empty()) {
      return 0;
    }
    const auto offset = static_cast<uint64_t>(buffer.data() - block.data());
    end = std::max<size_t>(end, offset + buffer.size());
    return offset;
  };
  Head head(root);
  head.add(root, place);
  head.write(block, rows, end);
  return end;
}

BlockPlan::BlockPlan(const Column& root, uint64_t rows)
    : head_(head_bytes(root)), rows_(rows), end_(head_.size()) {
  pieces_.emplace_back(head_);
  Head head(root);
  head.add(root, [this](std::span<const std::byte> buffer) { return place(buffer); });
  head.write(head_, rows, end_);
}

uint64_t BlockPlan::place(std::span<const std::byte> buffer) {
  if (buffer.empty()) {
    return 0;
  }
  const uint64_t offset = end_;
  pieces_.push_back(buffer);
  end_ += buffer.size();
  if (const size_t pad = padded(buffer.size()) - buffer.size(); pad != 0) {
    pieces_.push_back(std::span(kPadding).first(pad));
    end_ += pad;
  }
  return offset;
}

Result<BlockView> BlockView::parse(std::span<const std::byte> bytes) {
  BlockHeader header{};
  if (bytes.size() < sizeof(header)) {
    return damaged_block(0, "too short for its header");
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kBlockMagic || header.bytes != bytes.size()) {
    return damaged_block(0, "its header is not that of a block");
  }
  constexpr uint64_t kMostRows = 1ULL << 48U;
  if (header.nodes == 0 || header.nodes > kMostNodes || header.rows > kMostRows ||
      !inside(sizeof(header), header.nodes * sizeof(Node), bytes.size())) {
    return damaged_block(0, "its nodes point outside the block");
  }
  const std::span nodes(reinterpret_cast<const Node*>(bytes.data() + sizeof(header)), header.nodes);
  const NodeCheck check(bytes, nodes, header.rows);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (const char* fault = check.fault(i); fault != nullptr) {
      return damaged_block(i, fault);
    }
  }
  if (nodes.front().subtree != nodes.size()) {
    return damaged_block(0, "its tree does not cover all of its nodes");
  }
  return BlockView(bytes, nodes, header.rows);
}

std::string_view BlockView::name(const Node& node) const {
  return {reinterpret_cast<const char*>(bytes_.data() + node.name), node.name_bytes};
}

std::span<const int64_t> BlockView::offsets(const Node& node) const {
  if (node.offsets == 0) {
    return {};
  }
  return {reinterpret_cast<const int64_t*>(bytes_.data() + node.offsets), rows_ + 1};
}

std::span<const uint8_t> BlockView::validity(const Node& node) const {
  if (node.validity == 0) {
    return {};
  }
  return {reinterpret_cast<const uint8_t*>(bytes_.data() + node.validity), rows_};
}

}  // namespace muster::feed
