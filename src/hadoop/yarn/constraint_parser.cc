#include "hadoop/yarn/constraint_parser.h"

#include "base/ascii.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

constexpr int kDepthMax = 16;
constexpr std::string_view kSelf = "self";
constexpr std::string_view kOperators =
    "a constraint must be in,SCOPE,TAG or notin,SCOPE,TAG or cardinality,SCOPE,TAG,MIN,MAX or "
    "NAME=VALUE, or several of them as in and(C:C) and or(C:C)";

/// A word between commas, without surrounding blanks, and where it begins.
struct Word {
  std::string_view text;
  size_t at = 0;
};

class ConstraintReader {
 public:
  explicit ConstraintReader(std::string_view text) : text_(text) {}

  Result<PlacementConstraint> read() {
    MUSTER_TRY(PlacementConstraint constraint, read_constraint(0));
    if (at_ < text_.size()) {
      return wrong(at_, fmt::format("unexpected {}", printable(text_.substr(at_))));
    }
    return constraint;
  }

 private:
  [[nodiscard]] Error wrong(size_t at, const std::string& why) const {
    return user_error(fmt::format("{}: column {}: {}", printable(text_), at + 1, why));
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax.
  Result<PlacementConstraint> read_constraint(int depth) {
    skip_blanks();
    if (depth > kDepthMax) {
      return wrong(at_, fmt::format("constraints nest at most {} deep", kDepthMax));
    }
    for (const auto& [name, combination] : {std::pair(std::string_view("and"), Combination::And),
                                            std::pair(std::string_view("or"), Combination::Or)}) {
      if (opens(name)) {
        return read_children(combination, depth);
      }
    }
    MUSTER_TRY(const std::vector<Word> words, read_words());
    PlacementConstraint constraint;
    MUSTER_TRY(constraint.simple, simple_of(words));
    return constraint;
  }

  /// Returns whether the combination `name` begins here; if so, moves past its bracket.
  bool opens(std::string_view name) {
    if (ascii_lower(std::string(text_.substr(at_, name.size()))) != name) {
      return false;
    }
    const size_t bracket = text_.find_first_not_of(" \t", at_ + name.size());
    if (bracket == std::string_view::npos || text_[bracket] != '(') {
      return false;
    }
    at_ = bracket + 1;
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepthMax.
  Result<PlacementConstraint> read_children(Combination combination, int depth) {
    PlacementConstraint constraint{
        .simple = std::nullopt, .combination = combination, .children = {}};
    while (true) {
      MUSTER_TRY(PlacementConstraint child, read_constraint(depth + 1));
      constraint.children.push_back(std::move(child));
      skip_blanks();
      if (at_ == text_.size()) {
        return wrong(at_,
                     "the parenthesis is not closed: `:` and another constraint, or `)`, is "
                     "missing");
      }
      const char next = text_[at_++];
      if (next == ')') {
        skip_blanks();
        return constraint;
      }
      if (next != ':') {
        return wrong(at_ - 1, "expected `:` or `)` here");
      }
    }
  }

  Result<std::vector<Word>> read_words() {
    std::vector<Word> words;
    while (true) {
      skip_blanks();
      const size_t begin = at_;
      at_ = std::min(text_.find_first_of(",:()", at_), text_.size());
      const Word word{.text = trim(text_.substr(begin, at_ - begin)), .at = begin};
      if (word.text.empty()) {
        return wrong(
            begin, words.empty() ? std::string(kOperators) : std::string("an argument is missing"));
      }
      if (word.text.find_first_of(" \t") != std::string_view::npos) {
        return wrong(begin, fmt::format("{} has a space in it; separate words by commas",
                                        printable(word.text)));
      }
      words.push_back(word);
      if (at_ == text_.size() || text_[at_] != ',') {
        break;
      }
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      return wrong(at_, "parentheses are allowed only after `and` and `or`");
    }
    return words;
  }

  [[nodiscard]] Result<SimpleConstraint> simple_of(const std::vector<Word>& words) const {
    const Word& first = words.front();
    const std::string name = ascii_lower(std::string(first.text));
    if (first.text.find('=') != std::string_view::npos) {
      return attribute_of(words);
    }
    if (name != "in" && name != "notin" && name != "cardinality") {
      return wrong(first.at,
                   fmt::format("{} is not an operator: {}", printable(first.text), kOperators));
    }
    if (words.size() < 2) {
      return wrong(end_of(first), "the scope is missing: `node` or `rack`");
    }
    SimpleConstraint simple{.scope = ascii_lower(std::string(words[1].text)), .targets = {}};
    if (simple.scope != "node" && simple.scope != "rack") {
      return wrong(words[1].at, fmt::format("the scope must be `node` or `rack`, not {}",
                                            printable(words[1].text)));
    }
    size_t tags_end = words.size();
    if (name == "in") {
      simple.min = 1;
    } else if (name == "notin") {
      simple.max = 0;
    } else {
      if (words.size() < 5) {
        return wrong(end_of(words.back()),
                     "cardinality needs a tag and the minimum and maximum of its containers, as in "
                     "cardinality,node,TAG,0,2");
      }
      tags_end -= 2;
      MUSTER_TRY(simple.min, number_of(words[tags_end]));
      MUSTER_TRY(simple.max, number_of(words[tags_end + 1]));
      if (simple.max < simple.min) {
        return wrong(
            words[tags_end + 1].at,
            fmt::format("the maximum, {}, is less than the minimum, {}", simple.max, simple.min));
      }
    }
    if (tags_end < 3) {
      return wrong(end_of(words.back()), "a tag is missing after the scope");
    }
    for (size_t i = 2; i < tags_end; ++i) {
      MUSTER_TRY(PlacementTarget target, tag_of(words[i]));
      simple.targets.push_back(std::move(target));
    }
    return simple;
  }

  static size_t end_of(const Word& word) { return word.at + word.text.size(); }

  [[nodiscard]] Result<int32_t> number_of(const Word& word) const {
    int32_t number = 0;
    const std::string digits(word.text);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end || number < 0) {
      return wrong(word.at,
                   fmt::format("must be a whole number, 0 or more, not {}", printable(word.text)));
    }
    return number;
  }

  [[nodiscard]] Result<PlacementTarget> tag_of(const Word& word) const {
    constexpr std::array<std::string_view, 3> kPlain = {kSelf, "not-self", "all"};
    constexpr std::array<std::string_view, 2> kNamed = {"app-id/", "app-tag/"};
    const size_t slash = word.text.rfind('/');
    const std::string_view space =
        slash == std::string_view::npos ? kSelf : word.text.substr(0, slash);
    const std::string_view tag =
        slash == std::string_view::npos ? word.text : word.text.substr(slash + 1);
    const bool known = std::ranges::find(kPlain, space) != kPlain.end() ||
                       std::ranges::any_of(kNamed, [&](std::string_view name) {
                         return space.starts_with(name) && space.size() > name.size();
                       });
    if (!known) {
      return wrong(word.at, fmt::format("before the slash of a tag must be self, not-self, all, "
                                        "app-id/ID or app-tag/TAG, not {}",
                                        printable(space)));
    }
    if (tag.empty() || tag.find_first_of("=!") != std::string_view::npos) {
      return wrong(word.at, fmt::format("{} is not a tag", printable(word.text)));
    }
    return PlacementTarget{
        .kind = TargetKind::AllocationTag, .key = std::string(space), .values = {std::string(tag)}};
  }

  /// Reads NAME=VALUE, with further values after commas.
  [[nodiscard]] Result<SimpleConstraint> attribute_of(const std::vector<Word>& words) const {
    const Word& first = words.front();
    const size_t sign = first.text.find('=');
    const bool differs = sign > 0 && first.text[sign - 1] == '!';
    const std::string_view name = first.text.substr(0, differs ? sign - 1 : sign);
    const std::string_view value = first.text.substr(sign + 1);
    if (name.empty() || value.empty() || value.find('=') != std::string_view::npos) {
      return wrong(first.at, "a node attribute must be NAME=VALUE or NAME!=VALUE");
    }
    PlacementTarget target{.kind = TargetKind::NodeAttribute,
                           .key = std::string(name),
                           .values = {std::string(value)}};
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i].text.find_first_of("=!") != std::string_view::npos) {
        return wrong(words[i].at, "write several attributes as and(A=1:B=2)");
      }
      target.values.emplace_back(words[i].text);
    }
    // Attributes are not counted; resource managers expect these numbers there.
    return SimpleConstraint{
        .scope = "node",
        .targets = {std::move(target)},
        .min = -1,
        .max = -1,
        .attribute_operator = differs ? AttributeOperator::NotEqual : AttributeOperator::Equal};
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<PlacementConstraint> parse_constraint(std::string_view text) {
  return ConstraintReader(text).read();
}

// NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth.
std::vector<std::string> own_tags_in(const PlacementConstraint& constraint) {
  std::vector<std::string> tags;
  if (constraint.simple.has_value()) {
    for (const PlacementTarget& target : constraint.simple->targets) {
      if (target.kind == TargetKind::AllocationTag && target.key == kSelf) {
        tags.insert(tags.end(), target.values.begin(), target.values.end());
      }
    }
  }
  for (const PlacementConstraint& child : constraint.children) {
    std::ranges::copy(own_tags_in(child), std::back_inserter(tags));
  }
  return tags;
}

}  // namespace muster::hadoop::yarn
