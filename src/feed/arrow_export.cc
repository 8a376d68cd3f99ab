#include "feed/arrow.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::feed {
namespace {

const char* format_of(Item item) {
  switch (item) {
    case Item::Int8:
      return "c";
    case Item::UInt8:
      return "C";
    case Item::Bool:  // Arrow's booleans are bits; ours are bytes, handed out as they are.
      return "C";
    case Item::Int16:
      return "s";
    case Item::UInt16:
      return "S";
    case Item::Int32:
      return "i";
    case Item::UInt32:
      return "I";
    case Item::Int64:
      return "l";
    case Item::UInt64:
      return "L";
    case Item::Half:
      return "e";
    case Item::Float:
      return "f";
    case Item::Double:
      return "g";
    case Item::None:
      break;
  }
  return "n";
}

/// Everything one schema or array owns; lives until its release.
struct SchemaOwner {
  std::string format;
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayOwner {
  std::shared_ptr<const Lease> lease;
  std::vector<uint8_t> bitmap;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
};

template <class T, class Owner>
void release(T* thing) {
  for (int64_t i = 0; i < thing->n_children; ++i) {
    if (thing->children[i]->release != nullptr) {
      thing->children[i]->release(thing->children[i]);
    }
  }
  delete static_cast<Owner*>(thing->private_data);
  thing->release = nullptr;
}

class Exporter {
 public:
  Exporter(const BlockView& view, std::shared_ptr<const Lease> lease)
      : view_(view), lease_(std::move(lease)) {}

  void fill(size_t index, ArrowSchema& schema, ArrowArray& array) const {
    const Node& node = view_.nodes()[index];
    auto* names = new SchemaOwner{.format = "+s", .name = std::string(view_.name(node))};
    auto* data = new ArrayOwner{.lease = lease_};
    if (node.children != 0) {
      data->buffers = {nullptr};
      size_t next = index + 1;
      for (uint32_t i = 0; i < node.children; ++i) {
        add_child(next, *names, *data);
        next += view_.nodes()[next].subtree;
      }
    } else {
      fill_leaf(node, *names, *data);
    }
    finish(node, names, data, schema, array);
  }

 private:
  void add_child(size_t index, SchemaOwner& names, ArrayOwner& data) const {
    fill(index, *names.children.emplace_back(std::make_unique<ArrowSchema>()),
         *data.children.emplace_back(std::make_unique<ArrowArray>()));
  }

  void fill_leaf(const Node& node, SchemaOwner& names, ArrayOwner& data) const {
    const void* values = view_.values(node).data();
    const bool text = node.look == Look::Bytes || node.look == Look::Text;
    if (text) {
      names.format = node.look == Look::Text ? "U" : "Z";
      data.buffers = {nullptr, view_.offsets(node).data(), values};
      return;
    }
    const bool several =
        node.look == Look::List || node.look == Look::Tuple || node.look == Look::Array;
    if (!several) {
      names.format = format_of(node.item);
      data.buffers = {nullptr, values};
      return;
    }
    const auto items =
        static_cast<int64_t>(view_.values(node).size() / std::max<size_t>(1, size_of(node.item)));
    auto* item_names = new SchemaOwner{.format = format_of(node.item), .name = "item"};
    auto* item_data = new ArrayOwner{.lease = lease_, .buffers = {nullptr, values}};
    auto& item_schema = *names.children.emplace_back(std::make_unique<ArrowSchema>());
    auto& item_array = *data.children.emplace_back(std::make_unique<ArrowArray>());
    set(item_names, item_data, items, item_schema, item_array);
    if (node.variable != 0) {
      names.format = "+L";
      data.buffers = {nullptr, view_.offsets(node).data()};
    } else {
      names.format = fmt::format("+w:{}", node.width);
      data.buffers = {nullptr};
    }
  }

  void finish(const Node& node, SchemaOwner* names, ArrayOwner* data, ArrowSchema& schema,
              ArrowArray& array) const {
    const std::span<const uint8_t> validity = view_.validity(node);
    if (!validity.empty()) {
      data->bitmap.assign((validity.size() + 7) / 8, 0);
      for (size_t i = 0; i < validity.size(); ++i) {
        data->bitmap[i / 8] |= static_cast<uint8_t>((validity[i] != 0 ? 1U : 0U) << (i % 8));
      }
      data->buffers[0] = data->bitmap.data();
    }
    set(names, data, static_cast<int64_t>(view_.rows()), schema, array);
    array.null_count = std::count(validity.begin(), validity.end(), 0);
  }

  static void set(SchemaOwner* names, ArrayOwner* data, int64_t length, ArrowSchema& schema,
                  ArrowArray& array) {
    constexpr int64_t kNullable = 2;
    for (const auto& child : names->children) {
      names->pointers.push_back(child.get());
    }
    for (const auto& child : data->children) {
      data->pointers.push_back(child.get());
    }
    schema = {.format = names->format.c_str(),
              .name = names->name.c_str(),
              .metadata = nullptr,
              .flags = kNullable,
              .n_children = static_cast<int64_t>(names->pointers.size()),
              .children = names->pointers.data(),
              .dictionary = nullptr,
              .release = &release<ArrowSchema, SchemaOwner>,
              .private_data = names};
    array = {.length = length,
             .null_count = 0,
             .offset = 0,
             .n_buffers = static_cast<int64_t>(data->buffers.size()),
             .n_children = static_cast<int64_t>(data->pointers.size()),
             .buffers = data->buffers.data(),
             .children = data->pointers.data(),
             .dictionary = nullptr,
             .release = &release<ArrowArray, ArrayOwner>,
             .private_data = data};
  }

  const BlockView& view_;
  std::shared_ptr<const Lease> lease_;
};

}  // namespace

Status export_arrow(const std::shared_ptr<const Lease>& lease, ArrowSchema& schema,
                    ArrowArray& array) {
  MUSTER_TRY(const BlockView view, BlockView::parse(lease->bytes()));
  if (view.root().look == Look::Pickled) {
    return Error{
        .code = Errc::Unsupported, .blame = Blame::User, .message = "pickled rows have no columns"};
  }
  Exporter(view, lease).fill(0, schema, array);
  return {};
}

}  // namespace muster::feed
