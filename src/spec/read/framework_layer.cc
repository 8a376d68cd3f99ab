#include "spec/frameworks.h"
#include "spec/names.h"
#include "spec/read/codec.h"
#include "spec/read/stack.h"
#include "spec/read/yaml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

// The file of a framework that is data, as a layer below all others.

namespace muster::spec {
namespace {

constexpr std::string_view kKey = "framework";

/// What such a file may set: how a job of the framework is built, not whose it is or where it runs.
constexpr std::array<std::string_view, 11> kKeys = {"framework", "runtime",    "variables", "roles",
                                                    "env",       "barrier",    "restart",   "rules",
                                                    "deadlines", "checkpoint", "liveness"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the framework that the layers finally name; nullptr if none does.
Node* named_framework(Stack& stack) {
  Node* named = nullptr;
  const auto look = [&](Node& layer) {
    Node* const said = find(layer, kKey);
    named = said == nullptr ? named : said;
  };
  std::ranges::for_each(stack.below, look);
  if (stack.job.has_value()) {
    look(*stack.job);
  }
  std::ranges::for_each(stack.above, look);
  if (stack.enforced.has_value()) {
    look(*stack.enforced);
  }
  return named;
}

bool is_built_in(std::string_view name) { return contains(Codec<Framework>::names(), name); }

/// Those of the site and the user first, then the built-in ones.
std::vector<FrameworkInput> all_files(const Layers& layers) {
  std::vector<FrameworkInput> files = layers.frameworks;
  for (const FrameworkFile& file : framework_files()) {
    files.push_back(
        {.name = std::string(file.name),
         .file = {.name = fmt::format("framework {}", file.name), .text = std::string(file.text)}});
  }
  return files;
}

void check_keys(const Node& root, Problems& problems) {
  for (const Member& member : root.members) {
    if (!contains(kKeys, member.key)) {
      problems.add(member.origin,
                   fmt::format("`{}` has no place in the file of a framework; its keys are {}",
                               member.key, fmt::join(kKeys, ", ")));
    }
  }
  const Node* const base = find(root, kKey);
  if (base != nullptr && !is_built_in(base->text)) {
    problems.add(base->origin,
                 fmt::format("framework: the file of a framework can be based on one of {}, not {}",
                             fmt::join(Codec<Framework>::names(), ", "), describe(*base)));
  }
}

std::optional<Node> read_file(const FrameworkInput& input, Problems& problems) {
  const auto source =
      std::make_shared<const Source>(Source{.name = input.file.name, .layer = Layer::Framework});
  const size_t before = problems.size();
  std::optional<Node> root = read_yaml(input.file.text, source, problems);
  if (!root.has_value()) {
    return std::nullopt;
  }
  if (root->kind != Node::Kind::Map) {
    problems.add({.source = source, .line = 1, .column = 1},
                 fmt::format("the file of a framework must be a map of keys, as in "
                             "{{variables: {{NAME: '{{rank}}'}}}}, not {}",
                             describe(*root)));
    return std::nullopt;
  }
  check_keys(*root, problems);
  return problems.size() == before ? std::move(root) : std::nullopt;
}

}  // namespace

void resolve_framework(const Layers& layers, Stack& stack, Problems& problems) {
  if (!stack.job.has_value()) {
    return;  // Only the site's settings are wanted.
  }
  Node* const named = named_framework(stack);
  if (named == nullptr || named->kind != Node::Kind::Scalar || is_built_in(named->text)) {
    return;
  }
  const std::vector<FrameworkInput> files = all_files(layers);
  const auto found = std::ranges::find(files, named->text, &FrameworkInput::name);
  if (found == files.end()) {
    std::vector<std::string_view> names = Codec<Framework>::names();
    for (const FrameworkInput& file : files) {
      if (!contains(names, file.name)) {
        names.push_back(file.name);
      }
    }
    Decoder decoder{.problems = problems};
    (void)scalar::choice(decoder, *named, *find_row(spec_rows(), kKey), names);
    return;
  }
  std::optional<Node> file = read_file(*found, problems);
  if (!file.has_value()) {
    return;
  }
  const Node* const base = find(*file, kKey);
  named->text = base == nullptr ? to_string(Framework::Generic) : base->text;
  Node name = map_node();
  put(name, "name", text_node(found->name));
  if (Node* const runtime = find(*file, "runtime"); runtime == nullptr) {
    put(*file, "runtime", std::move(name));
  } else if (runtime->kind == Node::Kind::Map) {
    put(*runtime, "name", text_node(found->name));
  }
  remove(*file, kKey);
  stack.framework = std::move(file);
}

}  // namespace muster::spec
