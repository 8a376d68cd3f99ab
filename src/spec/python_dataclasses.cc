#include "base/text.h"
#include "spec/key_table.h"
#include "spec/keys.h"
#include "spec/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace muster::spec {
namespace {

constexpr size_t kWidth = 88;

/// Words that cannot be the name of a field; such a key gets an underscore at its end.
constexpr std::array<std::string_view, 5> kReserved = {"class", "as", "in", "from", "is"};

std::string field_name(std::string_view key) {
  const bool reserved = std::ranges::find(kReserved, key) != kReserved.end();
  return std::string(key) + (reserved ? "_" : "");
}

std::string comment(std::string_view text) {
  std::string out;
  std::string line = "    #";
  for (const std::string_view word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = "    #";
    }
    line += " " + std::string(word);
  }
  return out + line + "\n";
}

/// Writes the classes, each after those it mentions.
class Module {
 public:
  void add(std::string_view name, std::span<const Row> rows, std::string_view doc) {
    if (std::ranges::find(known_, name) != known_.end()) {
      return;
    }
    known_.emplace_back(name);
    for (const Row& row : rows) {
      const Shape shape = row.shape(row);
      if (!shape.python_class.empty()) {
        add(shape.python_class, shape.rows, "");
      }
    }
    text_ += fmt::format("\n\n@dataclass(kw_only=True)\nclass {}:\n", name);
    if (!doc.empty()) {
      text_ += fmt::format("    \"\"\"{}\"\"\"\n\n", doc);
    }
    for (const Row& row : rows) {
      const Shape shape = row.shape(row);
      text_ += comment(row.notes.doc);
      text_ += row.notes.required
                   ? fmt::format("    {}: {}\n", field_name(row.name), shape.python)
                   : fmt::format("    {}: {} | None = None\n", field_name(row.name), shape.python);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::vector<std::string> known_;
  std::string text_;
};

}  // namespace

std::string python_dataclasses() {
  Module module;
  module.add("Job", spec_rows(), "A job specification; a field that is None is not written.");
  return "# Made from the table of keys in src/spec; edit the table, not this file.\n"
         "# A key that is a word of Python has an underscore at its end here.\n"
         "from __future__ import annotations\n\n"
         "from dataclasses import dataclass" +
         std::string("\n") + module.take();
}

}  // namespace muster::spec
