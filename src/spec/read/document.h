#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// Where a value may come from; later layers take precedence.
enum class Layer : uint8_t {
  BuiltIn,
  Framework,
  Site,
  Config,
  Environment,
  Spec,
  CommandLine,
  Enforced,
};

/// One input: a file's name, "--set KEY=VALUE", or the name of an environment variable.
struct Source {
  std::string name;
  Layer layer = Layer::Spec;
};

/// The position of a value. Lines and columns count from 1; 0 if the source has no lines.
struct Origin {
  std::shared_ptr<const Source> source;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Returns "FILE:LINE:COLUMN", or the source's name alone.
[[nodiscard]] std::string to_string(const Origin& origin);

struct Member;

/// A value of a document before anything is known about its meaning.
struct Node {
  enum class Kind : uint8_t { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  std::string text;     ///< Of a Scalar.
  bool quoted = false;  ///< The scalar is text because it is quoted, not a number or boolean.
  Origin origin;
  std::vector<Node> items;      ///< Of a List.
  std::vector<Member> members;  ///< Of a Map, in the order of the text; keys differ.
};

struct Member {
  std::string key;
  Origin origin;  ///< Of the key.
  Node value;
};

/// Shorthands that make nodes without an origin.
[[nodiscard]] Node text_node(std::string_view text);
[[nodiscard]] Node plain_node(std::string_view text);
[[nodiscard]] Node list_node(std::vector<Node> items = {});
[[nodiscard]] Node map_node();

/// Returns the member's value, or nullptr if `node` is not a map or lacks the key.
[[nodiscard]] const Node* find(const Node& node, std::string_view key);
[[nodiscard]] Node* find(Node& node, std::string_view key);

/// Sets a member of a map: in place if it exists, else at the end.
void put(Node& map, std::string_view key, Node value);

/// Removes a member of a map, if it exists.
void remove(Node& map, std::string_view key);

/// Returns the nearest origin for a path of keys and list positions ("roles", "worker", "after",
/// "0"): that of the deepest existing part; for a map that is the position of its key.
[[nodiscard]] Origin origin_of(const Node& root, const std::vector<std::string>& path);

/// Merges `over` into `base`: maps merge member by member, everything else is replaced.
void merge(Node& base, const Node& over);

/// Returns whether the values are equal, ignoring origins.
[[nodiscard]] bool same_value(const Node& left, const Node& right);

/// Describes a node for messages: "nothing", "`4`", "a list", "a map".
[[nodiscard]] std::string describe(const Node& node);

}  // namespace muster::spec
