#include "base/text.h"
#include "spec/frameworks.h"
#include "spec/keys/keys.h"
#include "spec/names.h"
#include "spec/read/codec.h"
#include "spec/view_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

// The values that are maps, or lists with a second notation: files, variables, resources, roles.

namespace muster::spec {
namespace {

bool name_fits(Decoder& decoder, const Member& member, const Row& row,
               std::string (*check)(std::string_view)) {
  const std::string wrong = check(member.key);
  if (!wrong.empty()) {
    decoder.problems.add(member.origin, fmt::format("{}: {}", row.name, wrong));
  }
  return wrong.empty();
}

bool expect_map(Decoder& decoder, const Node& node, const Row& row, std::string_view example) {
  if (node.kind == Node::Kind::Scalar || node.kind == Node::Kind::List) {
    decoder.fail(node, fmt::format("{}: must be a map, as in {}, not {}", row.name, example,
                                   describe(node)));
    return false;
  }
  return true;
}

}  // namespace

void Codec<File>::decode(Decoder& decoder, const Node& node, const Row& row, File& out) {
  if (node.kind == Node::Kind::Scalar) {
    out.src = node.text;
  } else if (node.kind == Node::Kind::Map) {
    decode_rows(decoder, node, rows_of<File>(), &out, row.name);
  } else {
    decoder.fail(node, fmt::format("{}: must be a path or a map with the key src, not {}", row.name,
                                   describe(node)));
  }
}

Node Codec<File>::encode(const Row&, const File& value) {
  if (value == File{.src = value.src}) {
    return text_node(value.src);
  }
  return encode_rows(rows_of<File>(), &value);
}

Shape Codec<File>::shape(const Row&) {
  return {.form = Form::Object,
          .type = "path or map",
          .rows = rows_of<File>(),
          .group = "File",
          .shorthand = R"({"type":"string"})"};
}

void Codec<EnvValue>::decode(Decoder& decoder, const Node& node, const Row& row, EnvValue& out) {
  if (node.kind == Node::Kind::Scalar) {
    out = {.source = EnvValue::Source::Literal, .text = node.text};
    return;
  }
  if (node.kind != Node::Kind::Map) {
    decoder.fail(node,
                 fmt::format("{}: {}", row.name,
                             node.kind == Node::Kind::Null
                                 ? "a variable has no value; write \"\" for an empty one"
                                 : "a variable must be text or a map with from_env or from_file"));
    return;
  }
  SecretSource secret;
  const size_t before = decoder.problems.size();
  decode_rows(decoder, node, rows_of<SecretSource>(), &secret, row.name);
  if (decoder.problems.size() != before) {
    return;
  }
  if (secret.from_env.has_value() == secret.from_file.has_value()) {
    decoder.fail(node, fmt::format("{}: give either from_env or from_file", row.name));
  } else if (secret.from_env.has_value()) {
    out = {.source = EnvValue::Source::FromEnv, .text = *secret.from_env};
  } else {
    out = {.source = EnvValue::Source::FromFile, .text = *secret.from_file};
  }
}

Node Codec<EnvValue>::encode(const Row&, const EnvValue& value) {
  Node map = map_node();
  switch (value.source) {
    case EnvValue::Source::Literal:
      return text_node(value.text);
    case EnvValue::Source::FromEnv:
      put(map, "from_env", text_node(value.text));
      break;
    case EnvValue::Source::FromFile:
      put(map, "from_file", text_node(value.text));
      break;
  }
  return map;
}

Shape Codec<EnvValue>::shape(const Row&) {
  return {.form = Form::Object,
          .type = "text, or a map with from_env or from_file",
          .rows = rows_of<SecretSource>(),
          .group = "SecretSource",
          .shorthand = R"({"type":["string","number","boolean"]})"};
}

void Codec<Environment>::decode(Decoder& decoder, const Node& node, const Row& row,
                                Environment& out) {
  if (!expect_map(decoder, node, row, "{NAME: value}")) {
    return;
  }
  for (const Member& member : node.members) {
    if (name_fits(decoder, member, row, &wrong_variable)) {
      Codec<EnvValue>::decode(decoder, member.value, row, out[member.key]);
    }
  }
}

Node Codec<Environment>::encode(const Row& row, const Environment& value) {
  Node map = map_node();
  for (const auto& [name, variable] : value) {
    put(map, name, Codec<EnvValue>::encode(row, variable));
  }
  return map;
}

Shape Codec<Environment>::shape(const Row& row) {
  Shape item = Codec<EnvValue>::shape(row);
  item.form = Form::Map;
  item.type = "map of variables: " + item.type;
  return item;
}

void Codec<ViewVariables>::decode(Decoder& decoder, const Node& node, const Row& row,
                                  ViewVariables& out) {
  if (!expect_map(decoder, node, row, "{NAME: '{worker.0.address}'}")) {
    return;
  }
  for (const Member& member : node.members) {
    if (!name_fits(decoder, member, row, &wrong_variable)) {
      continue;
    }
    if (member.value.kind != Node::Kind::Scalar) {
      decoder.fail(member.value, fmt::format("{}.{}: must be text, not {}; put text that begins "
                                             "with a brace in quotes",
                                             row.name, member.key, describe(member.value)));
      continue;
    }
    const Result<std::vector<ViewPiece>> pieces = parse_view_text(member.value.text);
    if (!pieces.has_value()) {
      decoder.fail(member.value,
                   fmt::format("{}.{}: {}", row.name, member.key, pieces.error().message));
      continue;
    }
    out[member.key] = member.value.text;
  }
}

Node Codec<ViewVariables>::encode(const Row&, const ViewVariables& value) {
  Node map = map_node();
  for (const auto& [name, text] : value) {
    put(map, name, text_node(text));
  }
  return map;
}

Shape Codec<ViewVariables>::shape(const Row&) {
  return {.form = Form::Map, .type = "map of text", .json = R"({"type":["string","number"]})"};
}

Shape FrameworkCodec::shape(const Row&) {
  std::vector<std::string_view> names = Codec<Framework>::names();
  for (const FrameworkFile& file : framework_files()) {
    names.push_back(file.name);
  }
  Shape shape = scalar::choice_shape(std::move(names));
  shape.type += ", or the name of a framework file";
  shape.json = R"({"type":"string"})";
  return shape;
}

void Codec<Resources>::decode(Decoder& decoder, const Node& node, const Row& row, Resources& out) {
  if (!expect_map(decoder, node, row, "{yarn.io/fpga: 1}")) {
    return;
  }
  for (const Member& member : node.members) {
    const Row named{.name = member.key, .notes = {}};
    const auto count = scalar::whole_number(decoder, member.value, named, 0, INT64_MAX);
    if (name_fits(decoder, member, row, &wrong_resource) && count.has_value()) {
      out[member.key] = static_cast<uint64_t>(*count);
    }
  }
}

Node Codec<Resources>::encode(const Row&, const Resources& value) {
  Node map = map_node();
  for (const auto& [name, count] : value) {
    put(map, name, plain_node(std::to_string(count)));
  }
  return map;
}

Shape Codec<Resources>::shape(const Row&) {
  return {.form = Form::Map, .type = "map of counts", .json = R"({"type":"integer","minimum":0})"};
}

void Codec<EndpointPages>::decode(Decoder& decoder, const Node& node, const Row& row,
                                  EndpointPages& out) {
  if (!expect_map(decoder, node, row, "{dashboard: {role: chief, port: 8265}}")) {
    return;
  }
  for (const Member& member : node.members) {
    if (name_fits(decoder, member, row, &wrong_endpoint_name)) {
      decode_rows(decoder, member.value, rows_of<EndpointPage>(), &out[member.key],
                  "endpoint " + member.key);
    }
  }
}

Node Codec<EndpointPages>::encode(const Row&, const EndpointPages& value) {
  Node map = map_node();
  for (const auto& [name, page] : value) {
    put(map, name, encode_rows(rows_of<EndpointPage>(), &page));
  }
  return map;
}

Shape Codec<EndpointPages>::shape(const Row&) {
  return {.form = Form::Map,
          .type = "map of endpoints",
          .rows = rows_of<EndpointPage>(),
          .group = kGroup<EndpointPage>};
}

void Codec<std::vector<After>>::decode(Decoder& decoder, const Node& node, const Row& row,
                                       std::vector<After>& out) {
  if (node.kind == Node::Kind::Scalar) {
    decoder.fail(
        node, fmt::format("{}: must be a list or a map of roles, as in [{}]", row.name, node.text));
    return;
  }
  out.clear();
  for (const Node& item : node.items) {
    Codec<std::string>::decode(decoder, item, row, out.emplace_back().role);
  }
  for (const Member& member : node.members) {
    After& after = out.emplace_back();
    after.role = member.key;
    Codec<Condition>::decode(decoder, member.value, row, after.condition);
  }
}

Node Codec<std::vector<After>>::encode(const Row& row, const std::vector<After>& value) {
  Node map = map_node();
  for (const After& after : value) {
    put(map, after.role, Codec<Condition>::encode(row, after.condition));
  }
  return map;
}

Shape Codec<std::vector<After>>::shape(const Row& row) {
  const Shape condition = Codec<Condition>::shape(row);
  return {.form = Form::Map,
          .type = "list of roles, or map from role to ended, running or succeeded",
          .json = condition.json,
          .choices = condition.choices,
          .shorthand = R"({"type":"array","items":{"type":"string"}})"};
}

void Codec<std::vector<Role>>::decode(Decoder& decoder, const Node& node, const Row& row,
                                      std::vector<Role>& out) {
  if (!expect_map(decoder, node, row, "{worker: {tasks: 2}}")) {
    return;
  }
  for (const Member& member : node.members) {
    if (!name_fits(decoder, member, row, &wrong_role_name)) {
      continue;
    }
    Role& role = out.emplace_back();
    role.name = member.key;
    decode_rows(decoder, member.value, role_rows(), &role, "role " + member.key);
    if (role.max.has_value()) {
      role.tasks = *role.max;
      if (const Node* tasks = find(member.value, "tasks")) {
        decoder.fail(*tasks, fmt::format("role {}: give either tasks or min and max", role.name));
      }
    }
  }
}

Node Codec<std::vector<Role>>::encode(const Row&, const std::vector<Role>& value) {
  Node map = map_node();
  for (const Role& role : value) {
    Node members = encode_rows(role_rows(), &role);
    if (role.max.has_value()) {
      remove(members, "tasks");
    }
    put(map, role.name, std::move(members));
  }
  return map;
}

Shape Codec<std::vector<Role>>::shape(const Row&) {
  return {.form = Form::Map, .type = "map of roles", .rows = role_rows(), .group = "Role"};
}

}  // namespace muster::spec
