#include "spec/read/yaml_reader.h"

#include "base/text.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::spec {
namespace {

/// Builds nodes from the parser's events. After the first fatal problem it ignores the rest: the
/// parser cannot be told to stop.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, std::shared_ptr<const Source> source, Problems& problems)
      : text_(text), source_(std::move(source)), problems_(problems) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = Node::Kind::Null, .origin = at(mark)}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!tag_allowed(tag, mark)) {
      return;
    }
    const bool quoted = tag != "?" && !tag.empty();
    if (!quoted && (value == "~" || value == "null" || value == "Null" || value == "NULL")) {
      add({.kind = Node::Kind::Null, .origin = at(mark)}, anchor);
      return;
    }
    if (value.find('\0') != std::string::npos) {
      fail(at(mark), "text contains a NUL byte");
      return;
    }
    if (quoted && !closed(mark)) {
      fail(at(mark), "unclosed quote");
      return;
    }
    if (find_invalid_utf8(value).has_value()) {
      fail(at(mark), "text contains an escape that is not a Unicode character");
      return;
    }
    add({.kind = Node::Kind::Scalar, .text = value, .quoted = quoted, .origin = at(mark)}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(at(mark), "an alias refers to a value that contains it");
      return;
    }
    count_ += found->second.weight;
    depth_check(found->second.depth, at(mark));
    if (count_ > kNodesMax) {
      fail(at(mark), fmt::format("more than {} values", kNodesMax));
      return;
    }
    place(found->second.node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open({.kind = Node::Kind::List, .origin = at(mark)}, tag, anchor, mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open({.kind = Node::Kind::Map, .origin = at(mark)}, tag, anchor, mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    size_t count_before = 0;
    size_t depth = 1;                                 ///< Of its contents, itself included.
    std::optional<Member> member;                     ///< Of a map: the key whose value comes next.
    std::unordered_map<std::string, uint32_t> lines;  ///< Of a map: where each key is.
  };
  struct Anchored {
    Node node;
    size_t weight = 0;
    size_t depth = 0;
  };

  Origin at(const YAML::Mark& mark) const {
    return {.source = source_,
            .line = static_cast<uint32_t>(std::max(mark.line, 0)) + 1,
            .column = static_cast<uint32_t>(std::max(mark.column, 0)) + 1};
  }

  /// The parser accepts the end of the text as the end of a quoted scalar. Returns false if the
  /// quote that opens at `mark` has no partner.
  bool closed(const YAML::Mark& mark) const {
    size_t i = static_cast<size_t>(std::max(mark.pos, 0));
    if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) {
      return true;
    }
    const char quote = text_[i];
    for (++i; i < text_.size(); ++i) {
      const bool doubled = quote == '\'' && text_.substr(i, 2) == "''";
      if (doubled || (quote == '"' && text_[i] == '\\')) {
        ++i;
      } else if (text_[i] == quote) {
        return true;
      }
    }
    return false;
  }

  void fail(const Origin& origin, std::string message) {
    if (!failed_) {
      problems_.add(origin, std::move(message));
    }
    failed_ = true;
  }

  bool tag_allowed(const std::string& tag, const YAML::Mark& mark) {
    const bool fine = tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!fine) {
      fail(at(mark), fmt::format("the tag `{}` has no meaning here; leave it out", tag));
    }
    return fine && !failed_;
  }

  void depth_check(size_t below, const Origin& origin) {
    if (open_.size() + below > kNestingMax) {
      fail(origin, fmt::format("nested deeper than {} levels", kNestingMax));
    }
  }

  void open(Node node, const std::string& tag, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (failed_ || !tag_allowed(tag, mark)) {
      return;
    }
    depth_check(1, node.origin);
    open_.push_back({.node = std::move(node), .anchor = anchor, .count_before = count_});
  }

  void close() {
    if (failed_) {
      return;
    }
    Open done = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) {
      open_.back().depth = std::max(open_.back().depth, done.depth + 1);
    }
    remember(done.anchor, done.node, count_ - done.count_before, done.depth);
    place(std::move(done.node));
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (failed_) {
      return;
    }
    count_ += weight_of(node);
    remember(anchor, node, weight_of(node), 0);
    place(std::move(node));
  }

  /// Long texts count as several values, so that aliases cannot multiply them endlessly either.
  static size_t weight_of(const Node& node) { return node.text.size() / 64; }

  /// Keeps a copy for aliases. The copies count too: anchors may be nested.
  void remember(YAML::anchor_t anchor, const Node& node, size_t weight, size_t depth) {
    if (anchor == 0) {
      return;
    }
    remembered_ += weight + 1;
    if (remembered_ > kNodesMax) {
      fail(node.origin, fmt::format("anchors expand to more than {} values", kNodesMax));
      return;
    }
    anchors_[anchor] = {node, weight, depth};
  }

  /// Puts a finished node into the innermost open one.
  void place(Node node) {
    if (failed_) {
      return;
    }
    if (++count_ > kNodesMax) {
      fail(node.origin, fmt::format("more than {} values", kNodesMax));
      return;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::List) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.member.has_value()) {
      if (node.kind == Node::Kind::Null) {
        // The parser places a missing value at whatever comes next.
        node.origin = parent.member->origin;
      }
      parent.member->value = std::move(node);
      parent.node.members.push_back(*std::exchange(parent.member, std::nullopt));
    } else {
      place_key(parent, std::move(node));
    }
  }

  void place_key(Open& parent, Node node) {
    if (node.kind != Node::Kind::Scalar) {
      fail(node.origin, fmt::format("a key must be text, not {}", describe(node)));
      return;
    }
    const auto [same, fresh] = parent.lines.try_emplace(node.text, node.origin.line);
    if (!fresh) {
      fail(node.origin,
           fmt::format("duplicate key `{}`; the first one is on line {}", node.text, same->second));
      return;
    }
    if (parent.lines.size() > kMembersMax) {
      fail(node.origin, fmt::format("more than {} keys in one map", kMembersMax));
      return;
    }
    parent.member = Member{.key = std::move(node.text), .origin = node.origin, .value = {}};
  }

  std::string_view text_;
  std::shared_ptr<const Source> source_;
  Problems& problems_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  size_t count_ = 0;
  size_t remembered_ = 0;
  bool failed_ = false;
};

Origin position(const std::shared_ptr<const Source>& source, std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<uint32_t>(std::ranges::count(before, '\n'));
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {source, line + 1, static_cast<uint32_t>(offset - line_start) + 1};
}

/// Returns the offset of a tab in the indentation of a line, if there is one.
std::optional<size_t> indenting_tab(std::string_view text) {
  bool indentation = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (indentation && text[i] == '\t') {
      return i;
    }
    indentation = text[i] == '\n' || (indentation && text[i] == ' ');
  }
  return std::nullopt;
}

/// Says in plain words what the parser complains about.
std::string_view explained(std::string_view complaint) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords = {{
      {"illegal map value", "unexpected `:`; put quotes around text that contains `: `"},
      {"end of sequence flow not found", "unclosed `[`, or a missing comma"},
      {"end of map flow not found", "unclosed `{`, or a missing comma"},
      {"end of map not found", "wrong indentation, or a missing `:`"},
      {"end of sequence not found", "wrong indentation of a list"},
      {"illegal block entry", "unexpected `-`; a list cannot start here"},
      {"the referenced anchor is not defined", "an alias refers to an anchor that does not exist"},
  }};
  for (const auto& [theirs, ours] : kWords) {
    if (complaint == theirs) {
      return ours;
    }
  }
  return complaint;
}

std::optional<uint32_t> hex4(std::string_view text) {
  uint32_t value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool whole = text.size() == 4 && problem == std::errc() && stop == text.data() + 4;
  return whole ? std::optional(value) : std::nullopt;
}

/// JSON writes characters beyond U+FFFF as two escapes, which YAML does not know: returns JSON with
/// YAML's single escape instead, and any other text as it is.
std::string without_surrogates(std::string_view text) {
  std::string out(text);
  if (!trim(text).starts_with('{')) {
    return out;
  }
  for (size_t i = 0; i + 12 <= out.size(); ++i) {
    if (out[i] != '\\') {
      continue;
    }
    const std::string_view rest = std::string_view(out).substr(i, 12);
    const auto high = rest.starts_with("\\u") ? hex4(rest.substr(2, 4)) : std::nullopt;
    const auto low = rest.substr(6, 2) == "\\u" ? hex4(rest.substr(8, 4)) : std::nullopt;
    if (high >= 0xD800U && high < 0xDC00U && low >= 0xDC00U && low < 0xE000U) {
      const uint32_t code = 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
      out.replace(i, 12, fmt::format("\\U{:08x}", code));
    }
    ++i;
  }
  return out;
}

/// Refuses what the parser should not even see. Returns false after adding a problem.
bool acceptable(std::string_view text, const std::shared_ptr<const Source>& source,
                Problems& problems) {
  if (text.size() > kTextBytesMax) {
    problems.add({source, 1, 1},
                 fmt::format("{} is too long; the limit is {}", format_bytes(text.size()),
                             format_bytes(kTextBytesMax)));
    return false;
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    problems.add(position(source, text, nul), "not text: it contains a NUL byte");
    return false;
  }
  if (const std::optional<size_t> bad = find_invalid_utf8(text)) {
    problems.add(position(source, text, *bad), "not UTF-8 text");
    return false;
  }
  return true;
}

}  // namespace

std::optional<Node> read_yaml(std::string_view text, const std::shared_ptr<const Source>& source,
                              Problems& problems) {
  if (!acceptable(text, source, problems)) {
    return std::nullopt;
  }
  const std::string readable = without_surrogates(text);
  std::istringstream stream(readable);
  Builder builder(readable, source, problems);
  // yaml-cpp reports syntax errors only by exceptions; none leaves this function.
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder) && !builder.failed()) {
      Problems rest;
      Builder second(readable, source, rest);
      if (parser.HandleNextDocument(second)) {
        problems.add({source, 1, 1}, "contains more than one document; only one is allowed");
        return std::nullopt;
      }
    }
  } catch (const YAML::Exception& problem) {
    if (builder.failed()) {
      return std::nullopt;
    }
    if (const std::optional<size_t> tab = indenting_tab(text)) {
      problems.add(position(source, text, *tab), "tab in the indentation; YAML requires spaces");
      return std::nullopt;
    }
    const bool placed = problem.mark.line >= 0;
    problems.add({source, placed ? static_cast<uint32_t>(problem.mark.line) + 1 : 1,
                  placed ? static_cast<uint32_t>(problem.mark.column) + 1 : 1},
                 fmt::format("not valid YAML: {}", explained(problem.msg)));
    return std::nullopt;
  }
  if (builder.failed()) {
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace muster::spec
