#include "base/check.h"
#include "base/text.h"
#include "spec/keys/key_table.h"
#include "spec/keys/keys.h"
#include "spec/keys/row.h"
#include "spec/write/writer.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace muster::spec {
namespace {

/// Builds the schema; groups of keys become definitions, written once.
class Schema {
 public:
  std::string run() {
    std::string top = object(spec_rows());
    // `tasks` alone at the top is a short form that no row of the table describes.
    top.insert(top.find("\"properties\":{") + 14,
               R"("tasks":{"type":"integer","minimum":1,)"
               R"("description":"One role, worker, with this many tasks."},)");
    std::string definitions;
    for (const auto& [name, text] : definitions_) {
      definitions += (definitions.empty() ? "" : ",") + json_quote(name) + ":" + text;
    }
    return fmt::format(R"({{"$schema":"https://json-schema.org/draft/2020-12/schema","title":)"
                       R"("Muster job specification",{},"$defs":{{{}}}}})",
                       top.substr(1, top.size() - 2), definitions);
  }

 private:
  std::string object(std::span<const Row> rows) {
    std::vector<std::string> properties;
    std::vector<std::string> required;
    for (const Row& row : rows) {
      properties.push_back(json_quote(row.name) + ":" + property(row));
      if (row.notes.required) {
        required.push_back(json_quote(row.name));
      }
    }
    const std::string must =
        required.empty() ? "" : fmt::format(R"(,"required":[{}])", join(required, ","));
    return fmt::format(R"({{"type":"object","additionalProperties":false,"properties":{{{}}}{}}})",
                       join(properties, ","), must);
  }

  std::string property(const Row& row) {
    const Shape shape = row.shape(row);
    const std::string body = value(shape);
    std::string extra = ",\"description\":" + json_quote(row.notes.doc);
    const Node fallback = row.fallback(row);
    if (fallback.kind == Node::Kind::Scalar && !fallback.text.empty()) {
      extra += ",\"default\":" + write_json(fallback);
    }
    return body.substr(0, body.size() - 1) + extra + "}";
  }

  std::string value(const Shape& shape) {
    switch (shape.form) {
      case Form::Scalar:
        return shape.json;
      case Form::Object:
        return either(group(shape), shape.shorthand);
      case Form::List:
        return fmt::format(R"({{"type":"array","items":{}}})",
                           shape.rows.empty() ? shape.json : either(group(shape), shape.shorthand));
      case Form::Map:
        if (shape.rows.empty()) {
          return either(fmt::format(R"({{"type":"object","additionalProperties":{}}})", shape.json),
                        shape.shorthand);
        }
        return fmt::format(R"({{"type":"object","additionalProperties":{}}})",
                           either(group(shape), shape.shorthand));
    }
    MUSTER_CHECK(false, "unknown Form");
  }

  static std::string either(const std::string& one, const std::string& other) {
    return other.empty() ? one : fmt::format(R"({{"anyOf":[{},{}]}})", one, other);
  }

  std::string group(const Shape& shape) {
    const std::string name(shape.group);
    bool known = false;
    for (const auto& [there, text] : definitions_) {
      known = known || there == name;
    }
    if (!known) {
      std::string text = object(shape.rows);
      definitions_.emplace_back(name, std::move(text));
    }
    return fmt::format(R"({{"$ref":"#/$defs/{}"}})", name);
  }

  std::vector<std::pair<std::string, std::string>> definitions_;
};

/// Indents compact JSON for people and for line-based diffs.
std::string indented(std::string_view json) {
  std::string out;
  size_t depth = 0;
  bool quoted = false;
  const auto line = [&] { out += "\n" + std::string(2 * depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted || c == '"') {
      out += c;
      const bool escaped = quoted && c == '\\';
      if (escaped) {
        out += json[++i];
      } else if (c == '"') {
        quoted = !quoted;
      }
    } else if (c == '{' || c == '[') {
      out += c;
      const bool empty = i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']');
      if (empty) {
        out += json[++i];
      } else {
        ++depth;
        line();
      }
    } else if (c == '}' || c == ']') {
      --depth;
      line();
      out += c;
    } else if (c == ',') {
      out += c;
      line();
    } else {
      out += c;
      out += c == ':' ? " " : "";
    }
  }
  return out + "\n";
}

}  // namespace

std::string json_schema() { return indented(Schema().run()); }

}  // namespace muster::spec
