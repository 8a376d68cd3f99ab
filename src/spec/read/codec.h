#pragma once

#include "spec/keys/groups.h"
#include "spec/keys/keys.h"
#include "spec/keys/row.h"
#include "spec/read/scalar.h"
#include "spec/settings.h"
#include "spec/spec.h"

#include <array>
#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace muster::spec {

/// How a field of type T is read, written and described. Specialized for every type that a key can
/// have; an enum needs only a specialization of `enumerators`, a group of keys one of `rows_of`.
template <class T>
struct Codec;

template <>
struct Codec<std::string> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, std::string& out) {
    scalar::decode_text(decoder, node, row, out);
  }
  static Node encode(const Row&, const std::string& value) { return text_node(value); }
  static Shape shape(const Row&) { return scalar::text_shape(); }
};

template <>
struct Codec<bool> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, bool& out) {
    scalar::decode_bool(decoder, node, row, out);
  }
  static Node encode(const Row&, bool value) { return plain_node(value ? "true" : "false"); }
  static Shape shape(const Row&) {
    return {.type = "true or false", .json = R"({"type":"boolean"})"};
  }
};

template <class T>
  requires(std::same_as<T, uint32_t> || std::same_as<T, int32_t>)
struct Codec<T> {
  static int64_t low(const Row& row) {
    return row.notes.min.value_or(std::numeric_limits<T>::min());
  }
  static int64_t high(const Row& row) {
    return row.notes.max.value_or(std::numeric_limits<T>::max());
  }
  static void decode(Decoder& decoder, const Node& node, const Row& row, T& out) {
    if (const auto number = scalar::whole_number(decoder, node, row, low(row), high(row))) {
      out = static_cast<T>(*number);
    }
  }
  static Node encode(const Row&, T value) { return plain_node(std::to_string(value)); }
  static Shape shape(const Row& row) { return scalar::number_shape(row, low(row), high(row)); }
};

template <>
struct Codec<Bytes> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, Bytes& out) {
    scalar::decode_size(decoder, node, row, out);
  }
  static Node encode(const Row& row, Bytes value);
  static Shape shape(const Row& row) { return scalar::size_shape(row); }
};

template <>
struct Codec<std::optional<Duration>> {
  static void decode(Decoder& decoder, const Node& node, const Row& row,
                     std::optional<Duration>& out) {
    scalar::decode_duration(decoder, node, row, out);
  }
  static Node encode(const Row& row, const std::optional<Duration>& value);
  static Shape shape(const Row& row) { return scalar::duration_shape(row, row.notes.none); }
};

template <>
struct Codec<Duration> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, Duration& out) {
    std::optional<Duration> read = out;
    scalar::decode_duration(decoder, node, row, read);
    out = read.value_or(out);
  }
  static Node encode(const Row& row, Duration value) {
    return Codec<std::optional<Duration>>::encode(row, value);
  }
  static Shape shape(const Row& row) { return scalar::duration_shape(row, false); }
};

template <class E>
  requires(std::is_enum_v<E>)
struct Codec<E> {
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> all;
    for (const E value : enumerators<E>()) {
      all.push_back(to_string(value));
    }
    return all;
  }
  static void decode(Decoder& decoder, const Node& node, const Row& row, E& out) {
    if (const auto index = scalar::choice(decoder, node, row, names())) {
      out = enumerators<E>()[*index];
    }
  }
  static Node encode(const Row&, E value) { return text_node(to_string(value)); }
  static Shape shape(const Row&) { return scalar::choice_shape(names()); }
};

/// A group of keys with rows of its own.
template <class T>
concept Group = requires { requires !kGroup<T>.empty(); };

template <Group T>
struct Codec<T> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, T& out) {
    decode_rows(decoder, node, rows_of<T>(), &out, row.name);
  }
  static Node encode(const Row&, const T& value) { return encode_rows(rows_of<T>(), &value); }
  static Shape shape(const Row&) {
    return {.form = Form::Object, .type = "map", .rows = rows_of<T>(), .group = kGroup<T>};
  }
};

template <class T>
  requires(!std::same_as<T, Duration>)
struct Codec<std::optional<T>> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, std::optional<T>& out) {
    if (node.kind == Node::Kind::Null && decoder.null_is_unset) {
      out.reset();
      return;
    }
    T value = out.value_or(T{});
    const size_t before = decoder.problems.size();
    Codec<T>::decode(decoder, node, row, value);
    if (decoder.problems.size() == before) {
      out = std::move(value);
    }
  }
  static Node encode(const Row& row, const std::optional<T>& value) {
    return value.has_value() ? Codec<T>::encode(row, *value) : Node{};
  }
  static Shape shape(const Row& row) { return Codec<T>::shape(row); }
};

/// Lists; a list may be left empty by giving no value.
template <class T>
struct Codec<std::vector<T>> {
  static void decode(Decoder& decoder, const Node& node, const Row& row, std::vector<T>& out) {
    if (node.kind == Node::Kind::Scalar || node.kind == Node::Kind::Map) {
      const std::string example = node.kind == Node::Kind::Scalar ? node.text : "a, b";
      decoder.fail(node, std::string(row.name) + ": must be a list, as in [" + example + "], not " +
                             describe(node));
      return;
    }
    out.clear();
    for (const Node& item : node.items) {
      Codec<T>::decode(decoder, item, row, out.emplace_back());
    }
  }
  static Node encode(const Row& row, const std::vector<T>& value) {
    Node list = list_node();
    for (const T& item : value) {
      list.items.push_back(Codec<T>::encode(row, item));
    }
    return list;
  }
  static Shape shape(const Row& row) {
    Shape item = Codec<T>::shape(row);
    item.form = Form::List;
    item.type = "list of " + item.type + (item.type == "map" ? "s" : "");
    return item;
  }
};

// The keys that have a notation of their own; defined in codec_words.cc and codec_maps.cc, as is
// what is only declared above.
// NOLINTBEGIN(bugprone-macro-parentheses): a type that is declared with cannot stand in them.
#define MUSTER_SPEC_CODEC(Type)                                                        \
  template <>                                                                          \
  struct Codec<Type> {                                                                 \
    static void decode(Decoder& decoder, const Node& node, const Row& row, Type& out); \
    static Node encode(const Row& row, const Type& value);                             \
    static Shape shape(const Row& row);                                                \
  }
// NOLINTEND(bugprone-macro-parentheses)

using EndpointPages = std::map<std::string, EndpointPage>;
using Resources = std::map<std::string, uint64_t>;
MUSTER_SPEC_CODEC(Backoff);
MUSTER_SPEC_CODEC(std::optional<PortRange>);
MUSTER_SPEC_CODEC(Mount);
MUSTER_SPEC_CODEC(File);
MUSTER_SPEC_CODEC(EnvValue);
MUSTER_SPEC_CODEC(Environment);
MUSTER_SPEC_CODEC(ViewVariables);
MUSTER_SPEC_CODEC(Resources);
MUSTER_SPEC_CODEC(EndpointPages);
MUSTER_SPEC_CODEC(std::vector<After>);
MUSTER_SPEC_CODEC(std::vector<Role>);
#undef MUSTER_SPEC_CODEC

/// The built-in frameworks; by now, loading has replaced file-based frameworks by these.
struct FrameworkCodec {
  static void decode(Decoder& decoder, const Node& node, const Row& row, Framework& out) {
    Codec<Framework>::decode(decoder, node, row, out);
  }
  static Node encode(const Row& row, Framework value) {
    return Codec<Framework>::encode(row, value);
  }
  static Shape shape(const Row& row);
};

/// A signal by number or name: 9, KILL, SIGKILL.
struct SignalCodec {
  static void decode(Decoder& decoder, const Node& node, const Row& row,
                     std::optional<int32_t>& out);
  static Node encode(const Row& row, const std::optional<int32_t>& value);
  static Shape shape(const Row& row);
};

template <class Owner, class Value>
Owner owner_of(Value Owner::*);
template <class Owner, class Value>
Value value_of(Value Owner::*);

/// Makes the row of a field; `Coder` is given only if the field's type does not determine how it is
/// written.
template <auto Field, class Coder = Codec<decltype(value_of(Field))>>
constexpr Row row(std::string_view name, Notes notes) {
  using Owner = decltype(owner_of(Field));
  return {.name = name,
          .notes = notes,
          .decode =
              [](Decoder& decoder, const Node& node, const Row& self, void* object) {
                Coder::decode(decoder, node, self, static_cast<Owner*>(object)->*Field);
              },
          .encode =
              [](const Row& self, const void* object) {
                return Coder::encode(self, static_cast<const Owner*>(object)->*Field);
              },
          .fallback = [](const Row& self) { return Coder::encode(self, Owner{}.*Field); },
          .shape = [](const Row& self) { return Coder::shape(self); }};
}

}  // namespace muster::spec
