#pragma once

#include "spec/read/document.h"
#include "spec/read/problems.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace muster::spec {

/// What a row says about its key besides the field. Durations are in microseconds, sizes in bytes.
struct Notes {
  std::string_view doc;         ///< One or more sentences.
  std::string_view unset = {};  ///< What applies when it is not set: "proposed by the framework".
  bool required = false;
  std::optional<int64_t> min = {};
  std::optional<int64_t> max = {};
  bool none = false;                                 ///< `none` is a value and means no limit.
  std::string (*check)(std::string_view) = nullptr;  ///< Returns what is wrong with a text, or "".
  bool inherited = false;      ///< In a role: the keys below are those of the top.
  std::string_view also = {};  ///< Words people use instead, separated by blanks, for suggestions.
  /// The same for the values of a choice: "torch=pytorch tf=tensorflow".
  std::string_view also_values = {};
  /// Ends the message about a value that is not one of the choices and resembles none.
  std::string_view no_such_value = {};
  std::string_view since = "0.1";
};

/// The shape of a value, for documentation and schemas.
struct Row;
enum class Form : uint8_t { Scalar, Object, List, Map };
struct Shape {
  Form form = Form::Scalar;
  std::string type;  ///< For people: "size", "list of text", "one of a, b".
  std::string json;  ///< JSON Schema of a scalar, or of the content of a List or Map without rows.
  std::vector<std::string_view> choices;
  std::span<const Row> rows = {};  ///< Of an Object, or of each element of a List or Map.
  std::string_view group = {};     ///< The name of the group that `rows` describes, in schemas.
  std::string shorthand = {};      ///< JSON Schema of another way to write it.
};

/// Turns nodes into fields and collects what is wrong. Fields whose node is wrong keep their value.
struct Decoder {
  Problems& problems;
  bool null_is_unset = false;  ///< Canonical texts write unset values as null; people may not.
  /// A canonical text may come from a newer Muster, which has checked it; people's texts may have
  /// typos.
  bool skips_unknown = false;

  void fail(const Node& node, std::string message) {
    problems.add(node.origin, std::move(message));
  }
};

/// One key of one group of keys: the row of the table. The field's type decides how it is read and
/// written.
struct Row {
  std::string_view name;
  Notes notes;
  void (*decode)(Decoder&, const Node&, const Row&, void* object);
  Node (*encode)(const Row&, const void* object);
  Node (*fallback)(const Row&);  ///< The built-in value: the field of a default-constructed object.
  Shape (*shape)(const Row&);
};

/// Returns the row of that name, or nullptr.
[[nodiscard]] const Row* find_row(std::span<const Row> rows, std::string_view name);

/// Reads the members of `node` into `object`, which these rows describe. `what` names the group in
/// messages: "a role".
void decode_rows(Decoder& decoder, const Node& node, std::span<const Row> rows, void* object,
                 std::string_view what);

/// Returns all fields of `object` in the order of the rows.
[[nodiscard]] Node encode_rows(std::span<const Row> rows, const void* object);

/// Returns " (did you mean `x`?)" for a mistyped name among rows, or "".
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const Row> rows);

/// The same, or where an unknown key of these rows belongs.
[[nodiscard]] std::string home_of(std::string_view name, std::span<const Row> rows);

}  // namespace muster::spec
