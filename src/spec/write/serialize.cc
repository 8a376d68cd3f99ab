#include "spec/write/serialize.h"

#include "base/check.h"
#include "spec/check/validate.h"
#include "spec/keys/keys.h"
#include "spec/read/problems.h"
#include "spec/read/yaml_reader.h"
#include "spec/write/writer.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <memory>

namespace muster::spec {
namespace {

constexpr std::string_view kSchema = "muster.spec/1";

Node from_json(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return {};
    case boost::json::kind::bool_:
      return plain_node(value.get_bool() ? "true" : "false");
    case boost::json::kind::int64:
      return plain_node(std::to_string(value.get_int64()));
    case boost::json::kind::uint64:
      return plain_node(std::to_string(value.get_uint64()));
    case boost::json::kind::double_:
      return plain_node(fmt::format("{}", value.get_double()));
    case boost::json::kind::string:
      return text_node(std::string_view(value.get_string().data(), value.get_string().size()));
    case boost::json::kind::array: {
      Node list = list_node();
      for (const boost::json::value& item : value.get_array()) {
        list.items.push_back(from_json(item));
      }
      return list;
    }
    case boost::json::kind::object: {
      Node map = map_node();
      for (const auto& [key, member] : value.get_object()) {
        map.members.push_back(
            {.key = std::string(key.data(), key.size()), .value = from_json(member)});
      }
      return map;
    }
  }
  MUSTER_CHECK(false, "unknown kind of JSON value");
}

/// Drops from `map` what is unset or equal to the built-in value.
void prune(Node& map, const Node& builtin) {
  std::erase_if(map.members, [&](Member& member) {
    const Node* fallback = find(builtin, member.key);
    if (member.value.kind == Node::Kind::Null) {
      return true;
    }
    if (fallback == nullptr) {
      return false;
    }
    if (same_value(member.value, *fallback)) {
      return true;
    }
    if (member.value.kind == Node::Kind::Map && fallback->kind == Node::Kind::Map) {
      prune(member.value, *fallback);
    }
    return false;
  });
}

void drop_nulls(Node& node) {
  std::erase_if(node.members,
                [](const Member& member) { return member.value.kind == Node::Kind::Null; });
  for (Member& member : node.members) {
    drop_nulls(member.value);
  }
  for (Node& item : node.items) {
    drop_nulls(item);
  }
}

}  // namespace

std::string to_json(const Spec& spec) {
  Node root = map_node();
  put(root, "schema", text_node(kSchema));
  Node fields = encode_rows(spec_rows(), &spec);
  for (Member& member : fields.members) {
    put(root, member.key, std::move(member.value));
  }
  return write_json(root);
}

Result<Spec> parse_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kNestingMax;
  boost::system::error_code failed;
  const boost::json::value value =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), failed, {}, options);
  if (failed) {
    return user_error("a stored specification is damaged: not valid JSON", Errc::Corrupt);
  }
  Node root = from_json(value);
  const Node* schema = find(root, "schema");
  if (schema == nullptr || schema->text != kSchema) {
    return user_error(fmt::format("a stored specification does not have the schema {}", kSchema),
                      Errc::Corrupt);
  }
  remove(root, "schema");
  Problems problems;
  Decoder decoder{.problems = problems, .null_is_unset = true, .skips_unknown = true};
  Spec spec;
  decode_rows(decoder, root, spec_rows(), &spec, "");
  if (problems.empty()) {
    validate(spec, root, problems);
  }
  if (!problems.empty()) {
    Error error = problems.error().within("a stored specification is damaged");
    error.code = Errc::Corrupt;
    return error;
  }
  return spec;
}

std::string to_yaml(const Spec& spec) {
  Node root = encode_rows(spec_rows(), &spec);
  const Spec plain_spec;
  const Role plain_role;
  prune(root, encode_rows(spec_rows(), &plain_spec));
  const Node role_defaults = encode_rows(role_rows(), &plain_role);
  Node* roles = find(root, "roles");
  for (const Role& role : spec.roles) {
    Node* members = roles == nullptr ? nullptr : find(*roles, role.name);
    if (members == nullptr) {
      continue;
    }
    prune(*members, role_defaults);
    if (!role.max.has_value() && find(*members, "tasks") == nullptr) {
      members->members.insert(members->members.begin(),
                              {.key = "tasks", .value = plain_node(std::to_string(role.tasks))});
    }
  }
  drop_nulls(root);
  return write_yaml(root);
}

}  // namespace muster::spec
