#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// Where a value may come from; a later one wins.
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

/// Where a value stands. Lines and columns count from 1; 0 where the source has no lines.
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
  bool quoted = false;  ///< The scalar is text by its quotes, not a number or a truth value.
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

/// Returns the member's value, or nullptr if `node` is no map or lacks the key.
[[nodiscard]] const Node* find(const Node& node, std::string_view key);
[[nodiscard]] Node* find(Node& node, std::string_view key);

/// Sets a member of a map, in place if it is there, else at the end.
void put(Node& map, std::string_view key, Node value);

/// Removes a member of a map, if it is there.
void remove(Node& map, std::string_view key);

/// Returns the nearest origin to a path of keys and list positions ("roles", "worker", "after",
/// "0"): that of the deepest part which is there; of a map that is the place of its key.
[[nodiscard]] Origin origin_of(const Node& root, const std::vector<std::string>& path);

/// Puts `over` on top of `base`: maps merge member by member, everything else is replaced.
void merge(Node& base, const Node& over);

/// Equal values; origins do not matter.
[[nodiscard]] bool same_value(const Node& left, const Node& right);

/// What a node is, for messages: "nothing", "`4`", "a list", "a map".
[[nodiscard]] std::string describe(const Node& node);

}  // namespace muster::spec
