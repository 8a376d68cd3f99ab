#include "hadoop/conf_file.h"

#include "base/text.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::hadoop {
namespace {

using Path = std::filesystem::path;

/// Returns the "include" of "xi:include": Hadoop, too, ignores namespaces.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Returns the element's own text; comments within it do not cut it short.
std::string text_of(const pugi::xml_node& node) {
  std::string text;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      text += child.value();
    }
  }
  return text;
}

Origin place(const std::string& file, std::string_view text, ptrdiff_t offset) {
  if (offset < 0 || static_cast<size_t>(offset) > text.size()) {
    return {.file = file};
  }
  const std::string_view before = text.substr(0, static_cast<size_t>(offset));
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {.file = file,
          .line = static_cast<uint32_t>(std::ranges::count(before, '\n') + 1),
          .column = static_cast<uint32_t>(before.size() - line_start + 1)};
}

Error error_at(const Origin& origin, std::string_view message) {
  return user_error(fmt::format("{}: error: {}", to_string(origin), message));
}

/// Reads one file and, recursively, those it includes.
class Parser {
 public:
  Parser(const ReadFile& read, const std::vector<Path>& folders) : read_(read), folders_(folders) {}

  Status parse(const Path& path, std::string_view text);
  ConfFile take() { return std::move(out_); }

 private:
  struct Source {
    Path path;
    std::string_view text;
    Origin origin(const pugi::xml_node& node) const {
      // The offset is that of the name, one after the bracket.
      return place(path.string(), text, node.offset_debug() - 1);
    }
  };

  Status elements(const Source& source, const pugi::xml_node& parent, size_t depth);
  void property(const Source& source, const pugi::xml_node& node);
  Status include(const Source& source, const pugi::xml_node& node, size_t depth);
  [[nodiscard]] std::vector<Path> candidates(const Source& source, std::string_view href) const;

  const ReadFile& read_;
  const std::vector<Path>& folders_;
  std::vector<Path> open_;  ///< The files being parsed, outermost first.
  size_t includes_ = 0;
  ConfFile out_;
};

Status check_shape(const Path& path, std::string_view text, const pugi::xml_document& document) {
  for (const pugi::xml_node node : document.children()) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
      return error_at(place(path.string(), text, node.offset_debug()),
                      "entities declared in the DOCTYPE are not expanded; write their values "
                      "where they are used");
    }
  }
  const pugi::xml_node root = document.document_element();
  for (pugi::xml_node other = root.next_sibling(); other; other = other.next_sibling()) {
    if (other.type() == pugi::node_element) {
      return error_at(place(path.string(), text, other.offset_debug() - 1),
                      fmt::format("<{}> follows the end of <{}>; a file has only one root",
                                  printable(other.name()), printable(root.name())));
    }
  }
  return {};
}

Status Parser::parse(const Path& path, std::string_view text) {
  if (text.size() > kConfBytesMax) {
    return user_error(fmt::format("{}: error: too large for a configuration file ({})",
                                  path.string(), format_bytes(text.size())));
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return user_error(fmt::format("{}: error: written in UTF-16; save it as UTF-8", path.string()));
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
  if (!parsed) {
    return error_at(place(path.string(), text, parsed.offset),
                    fmt::format("not well-formed XML: {}", parsed.description()));
  }
  MUSTER_TRY_STATUS(check_shape(path, text, document));
  const Source source{.path = path, .text = text};
  const size_t before = out_.items.size();
  open_.push_back(path);
  MUSTER_TRY_STATUS(elements(source, document.document_element(), 0));
  open_.pop_back();
  const pugi::xml_node root = document.document_element();
  if (local_name(root) != "configuration" && out_.items.size() == before) {
    return error_at(source.origin(root),
                    fmt::format("not a Hadoop configuration: its root is <{}>, not <configuration>",
                                printable(root.name())));
  }
  return {};
}

Status Parser::elements(const Source& source, const pugi::xml_node& parent, size_t depth) {
  if (depth > kConfDepthMax) {
    return error_at(source.origin(parent), "elements are nested too deeply");
  }
  for (const pugi::xml_node node : parent.children()) {
    if (node.type() != pugi::node_element) {
      continue;
    }
    const std::string_view name = local_name(node);
    if (name == "property") {
      property(source, node);
    } else if (name == "include") {
      MUSTER_TRY_STATUS(include(source, node, depth));
    } else {
      // Hadoop descends into elements that it does not know.
      MUSTER_TRY_STATUS(elements(source, node, depth + 1));
    }
  }
  return {};
}

void Parser::property(const Source& source, const pugi::xml_node& node) {
  std::optional<std::string> name;
  std::optional<std::string> value;
  bool is_final = false;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view key = attribute.name();
    if (key == "name") {
      name = attribute.value();
    } else if (key == "value") {
      value = attribute.value();
    } else if (key == "final") {
      is_final = std::string_view(attribute.value()) == "true";
    }
  }
  for (const pugi::xml_node child : node.children()) {
    const std::string_view key = local_name(child);
    if (key == "name") {
      name = text_of(child);
    } else if (key == "value") {
      value = text_of(child);
    } else if (key == "final") {
      is_final = text_of(child) == "true";
    }
  }
  Origin origin = source.origin(node);
  const std::string trimmed = name ? std::string(trim(*name)) : std::string();
  if (trimmed.empty() || !value) {
    out_.notes.push_back(fmt::format(
        "{}: a <property> {} has no effect", to_string(origin),
        trimmed.empty() ? "without a <name>" : "without a <value> (" + printable(trimmed) + ")"));
    return;
  }
  out_.items.push_back({.name = trimmed,
                        .value = std::move(*value),
                        .is_final = is_final,
                        .origin = std::move(origin)});
}

std::vector<Path> Parser::candidates(const Source& source, std::string_view href) const {
  std::string_view name = href;
  if (name.starts_with("file:")) {
    name.remove_prefix(5);
    if (name.starts_with("///")) {
      name.remove_prefix(2);
    }
  }
  const Path path(name);
  if (path.is_absolute()) {
    return {path};
  }
  std::vector<Path> found;
  for (const Path& folder : folders_) {
    found.push_back(folder / path);
  }
  found.push_back(source.path.parent_path() / path);
  return found;
}

Status Parser::include(const Source& source, const pugi::xml_node& node, size_t depth) {
  const std::string href(trim(node.attribute("href").value()));
  if (href.empty()) {
    out_.notes.push_back(
        fmt::format("{}: an include without href has no effect", to_string(source.origin(node))));
    return {};
  }
  if (++includes_ > kConfIncludesMax || open_.size() > kConfDepthMax) {
    return error_at(source.origin(node), "too many files are included");
  }
  const bool remote = href.find("://") != std::string::npos && !href.starts_with("file:");
  std::string why = remote ? "only files can be included; copy it beside this file"
                           : "no such file; fix the path, or give it a <fallback>";
  const std::vector<Path> paths = remote ? std::vector<Path>() : candidates(source, href);
  for (const Path& path : paths) {
    const Path normal = path.lexically_normal();
    if (std::ranges::find(open_, normal) != open_.end()) {
      return error_at(source.origin(node),
                      fmt::format("{} includes itself", printable(normal.string())));
    }
    const Result<std::string> text = read_(normal);
    if (text) {
      return parse(normal, *text);
    }
    if (text.error().code != Errc::NotFound) {
      return text.error().within(fmt::format("{}: error: cannot include {}",
                                             to_string(source.origin(node)), printable(href)));
    }
  }
  bool fallback = false;
  for (const pugi::xml_node child : node.children()) {
    if (local_name(child) == "fallback") {
      fallback = true;
      MUSTER_TRY_STATUS(elements(source, child, depth + 1));
    }
  }
  if (!fallback) {
    return error_at(source.origin(node),
                    fmt::format("cannot include {}: {}", printable(href), why));
  }
  return {};
}

}  // namespace

Result<ConfFile> parse_conf_file(const Path& path, std::string_view text, const ReadFile& read,
                                 const std::vector<Path>& folders) {
  Parser parser(read, folders);
  MUSTER_TRY_STATUS(parser.parse(path.lexically_normal(), text));
  return parser.take();
}

}  // namespace muster::hadoop
