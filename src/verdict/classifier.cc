#include "verdict/classifier.h"

#include "base/check.h"
#include "verdict/failure_class.h"
#include "verdict/fallback.h"
#include "verdict/last_words.h"
#include "verdict/processes.h"
#include "verdict/rule.h"
#include "verdict/signal_name.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::verdict {
namespace {

RE2::Options options() {
  RE2::Options wanted(RE2::Quiet);
  wanted.set_max_mem(1 << 20);
  return wanted;
}

/// Where a rule's pattern was found: the whole line, and what the first group captured.
struct Found {
  std::string line;
  std::string captured;
};

bool holds(const Rule& rule, const End& end, bool uncaught) {
  switch (rule.ending) {
    case Ending::Any:
      return true;
    case Ending::Code:
      return end.exit.exit_code == rule.number;
    case Ending::Signal:
      return signal_behind(end.exit) == rule.number;
    case Ending::AnySignal:
      return signal_behind(end.exit).has_value();
    case Ending::OverMemory:
      return end.exit.over_memory;
    case Ending::Uncaught:
      return uncaught && !signal_behind(end.exit);
    case Ending::Stopped:
      return end.stopped;
    case Ending::ClusterCode:
      return end.cluster_code == fmt::to_string(rule.number);
  }
  return false;
}

std::string line_at(std::string_view text, size_t offset) {
  const size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const size_t from = begin == std::string_view::npos || begin >= offset ? 0 : begin + 1;
  return std::string(text.substr(from, text.find('\n', offset) - from));
}

std::optional<Found> find(const RE2& pattern, const std::string& text) {
  re2::StringPiece groups[2];
  const int count = pattern.NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, groups, count)) {
    return std::nullopt;
  }
  const auto offset = static_cast<size_t>(groups[0].data() - text.data());
  return Found{line_at(text, offset), count == 2 ? groups[1].as_string() : std::string()};
}

const std::string& text_for(Where where, const LastWords& words) {
  return where == Where::Output ? words.output : words.final_error;
}

std::string hint_for(std::string_view hint, std::string_view captured) {
  const size_t at = hint.find("{}");
  if (at == std::string_view::npos) {
    return std::string(hint);
  }
  const std::string_view shown = captured.empty() ? "what it needs" : captured;
  return fmt::format("{}{}{}", hint.substr(0, at), shown, hint.substr(at + 2));
}

job::Failure make_failure(const FailureClass& row, const Found& found, const LastWords& words) {
  return job::Failure{.class_name = std::string(row.name),
                      .kind = row.kind,
                      .remedy = row.remedy,
                      .evidence = evidence_of(words, found.line),
                      .hint = hint_for(row.hint, found.captured)};
}

job::Remedy remedy_of(const std::optional<spec::Retry>& retry, job::Remedy otherwise) {
  if (!retry) {
    return otherwise;
  }
  switch (*retry) {
    case spec::Retry::Yes:
      return job::Remedy::Restart;
    case spec::Retry::No:
      return job::Remedy::GiveUp;
    case spec::Retry::Elsewhere:
      return job::Remedy::Elsewhere;
  }
  return otherwise;
}

}  // namespace

struct Classifier::Patterns {
  struct UserRule {
    spec::Rule rule;
    std::unique_ptr<RE2> pattern;
  };
  std::vector<UserRule> user;
  std::unordered_map<const Rule*, std::unique_ptr<RE2>> built_in;  ///< Those needed so far.

  std::optional<std::pair<const UserRule*, Found>> match_user(const End& end,
                                                              const LastWords& words) const {
    for (const UserRule& row : user) {
      const spec::Match& match = row.rule.match;
      const bool fits = (!match.exit_code || match.exit_code == end.exit.exit_code) &&
                        (!match.signal || match.signal == end.exit.signal) &&
                        (!match.cluster_code || *match.cluster_code == end.cluster_code);
      if (!fits) {
        continue;
      }
      const std::optional<Found> found =
          row.pattern ? find(*row.pattern, words.output) : std::optional<Found>(Found{});
      if (found) {
        return std::pair(&row, *found);
      }
    }
    return std::nullopt;
  }

  std::optional<job::Failure> judge_by_user(const End& end, const LastWords& words) const {
    const auto matched = match_user(end, words);
    if (!matched) {
      return std::nullopt;
    }
    const spec::Rule& rule = matched->first->rule;
    FailureClass row = find_class(rule.failure_class);
    row.remedy = remedy_of(rule.retry, row.remedy);
    return make_failure(row, matched->second, words);
  }

  const RE2& pattern_of(const Rule& rule) {
    std::unique_ptr<RE2>& pattern = built_in[&rule];
    if (!pattern) {
      pattern = std::make_unique<RE2>(re2::StringPiece(rule.pattern.data(), rule.pattern.size()),
                                      options());
      MUSTER_CHECK(pattern->ok(), "a built-in pattern is not an RE2 expression");
    }
    return *pattern;
  }

  std::optional<std::pair<const Rule*, Found>> match_certain(const End& end,
                                                             const LastWords& words) {
    for (const Rule& rule : built_in_rules().certain) {
      if (!holds(rule, end, words.uncaught)) {
        continue;
      }
      if (rule.where == Where::Nowhere) {
        return std::pair(&rule, Found{});
      }
      if (std::optional<Found> found = find(pattern_of(rule), words.errors)) {
        return std::pair(&rule, *std::move(found));
      }
    }
    return std::nullopt;
  }

  /// Applies the telling rules to the last error, then to the errors that led to it.
  std::optional<std::pair<const Rule*, Found>> match_telling(const End& end,
                                                             const LastWords& words) {
    const std::span<const Rule> rules = built_in_rules().telling;
    for (const bool earlier : {false, true}) {
      if (earlier && words.errors == words.final_error) {
        break;
      }
      for (const Rule& rule : rules) {
        if (!holds(rule, end, words.uncaught) || (earlier && rule.where != Where::Error)) {
          continue;
        }
        if (rule.where == Where::Nowhere) {
          return std::pair(&rule, Found{});
        }
        const std::string& text = earlier ? words.errors : text_for(rule.where, words);
        if (std::optional<Found> found = find(pattern_of(rule), text)) {
          return std::pair(&rule, *std::move(found));
        }
      }
    }
    return std::nullopt;
  }
};

Classifier::Classifier(std::unique_ptr<Patterns> patterns, PythonContext python)
    : patterns_(std::move(patterns)), python_(std::move(python)) {}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

Result<Classifier> Classifier::make(std::span<const spec::Rule> rules, PythonContext python) {
  auto patterns = std::make_unique<Patterns>();
  for (const spec::Rule& rule : rules) {
    Patterns::UserRule& row = patterns->user.emplace_back(rule, nullptr);
    if (!rule.match.pattern) {
      continue;
    }
    row.pattern = std::make_unique<RE2>(*rule.match.pattern, options());
    if (!row.pattern->ok()) {
      return user_error(fmt::format("rules: the pattern of class {} is not an RE2 expression: {}",
                                    rule.failure_class, row.pattern->error()));
    }
  }
  return Classifier(std::move(patterns), std::move(python));
}

namespace {

const Rule* first_that_holds(std::span<const Rule> rules, const End& end, bool uncaught) {
  for (const Rule& rule : rules) {
    if (holds(rule, end, uncaught)) {
      return &rule;
    }
  }
  return nullptr;
}

/// Returns a hint if the framework itself cannot be imported; empty otherwise.
std::string framework_hint(const job::Failure& failure, std::string_view captured,
                           const PythonContext& context, std::string_view task_python) {
  const std::string_view module = captured.substr(0, captured.find('.'));
  if (failure.class_name != "user.import" || module.empty() || module != context.module) {
    return {};
  }
  const std::string lacks =
      fmt::format("python3 of the task{} has no {}",
                  task_python.empty() ? std::string() : fmt::format(" ({})", task_python), module);
  const bool differs = !context.client_python.empty() && context.client_python != task_python;
  if (!differs) {
    return fmt::format(
        "{}: install it there, activate an environment that has it before `muster run`, or ship "
        "one with `python: {{env: ...}}`",
        lacks);
  }
  return fmt::format(
      "{}; yours is {}: activate that environment before `muster run`, or ship it with "
      "`python: {{env: ...}}`",
      lacks, context.client_python);
}

}  // namespace

Judgement Classifier::judge(const End& end) {
  MUSTER_CHECK(!end.exit.succeeded(), "a success has no failure class");
  const LastWords words = read_last_words(end.stdout_tail, end.stderr_tail);
  Judgement judgement = judge_words(end, words);
  if (judgement.failure.kind == job::FailureKind::PeerLoss) {
    if (std::optional<Judgement> first = judge_first(end, words)) {
      return *std::move(first);
    }
  }
  return judgement;
}

std::optional<Judgement> Classifier::judge_first(const End& end, const LastWords& words) {
  if (patterns_->judge_by_user(end, words)) {
    return std::nullopt;
  }
  for (const std::string_view tail : {end.stderr_tail, end.stdout_tail}) {
    for (const std::string& said : split_by_process(tail)) {
      const End one{.exit = end.exit,
                    .cluster_code = {},
                    .stdout_tail = {},
                    .stderr_tail = said,
                    .python = end.python};
      Judgement judgement = judge_words(one, read_last_words({}, said));
      if (judgement.sure && judgement.failure.kind != job::FailureKind::PeerLoss &&
          judgement.failure.class_name != "user.exit") {
        return judgement;
      }
    }
  }
  const std::optional<FirstSignal> killed = first_signal(words.output);
  const std::string_view by_signal = killed ? class_of_signal(killed->signal) : std::string_view{};
  return by_signal.empty()
             ? std::nullopt
             : std::optional(Judgement{make_failure(
                   find_class(by_signal), {.line = killed->line, .captured = ""}, words)});
}

Judgement Classifier::judge_words(const End& end, const LastWords& words) {
  const RuleTable rules = built_in_rules();
  if (end.stopped) {
    return {make_failure(find_class("stopped"), {}, words)};
  }
  if (std::optional<job::Failure> own = patterns_->judge_by_user(end, words)) {
    return {*std::move(own)};
  }
  if (const auto certain = patterns_->match_certain(end, words)) {
    return {make_failure(find_class(certain->first->class_name), certain->second, words)};
  }
  if (const auto telling = patterns_->match_telling(end, words)) {
    job::Failure failure =
        make_failure(find_class(telling->first->class_name), telling->second, words);
    if (std::string hint = framework_hint(failure, telling->second.captured, python_, end.python);
        !hint.empty()) {
      failure = make_failure(find_class("user.framework"), telling->second, words);
      failure.hint = std::move(hint);
    }
    return {std::move(failure)};
  }
  if (!signal_behind(end.exit)) {
    if (const std::optional<Fallback> guessed = fall_back(words)) {
      job::Failure failure = make_failure(find_class(guessed->class_name), {}, words);
      failure.hint = fmt::format("not certain (judged {}): {}", guessed->because, failure.hint);
      return {.failure = std::move(failure), .sure = false};
    }
  }
  const Rule* rule = first_that_holds(rules.general, end, words.uncaught);
  MUSTER_CHECK(rule != nullptr, "the last rule always matches");
  // A program that aborts says why in words that no rule knew; other signals speak for themselves.
  const bool aborted = rule->ending == Ending::Signal && rule->number == kSigAbrt;
  return {.failure = make_failure(find_class(rule->class_name), {}, words),
          .sure = rule->ending != Ending::Uncaught && rule->ending != Ending::Any && !aborted};
}

std::optional<job::Failure> Classifier::judge_by_user(const End& end) const {
  return patterns_->judge_by_user(end, read_last_words(end.stdout_tail, end.stderr_tail));
}

std::optional<job::Failure> Classifier::judge_container(std::string_view cluster_code,
                                                        std::string_view diagnostics) const {
  const End end{
      .exit = {}, .cluster_code = cluster_code, .stdout_tail = {}, .stderr_tail = diagnostics};
  std::optional<job::Failure> failure = judge_by_user(end);
  for (const Rule& rule : built_in_rules().certain) {
    if (!failure && rule.ending == Ending::ClusterCode && holds(rule, end, false)) {
      failure = make_failure(find_class(rule.class_name), {}, {});
    }
  }
  // Muster's own processes in a container print this if they get no memory.
  for (const std::string_view who : {"muster agent", "muster keeper"}) {
    if (!failure && diagnostics.contains(std::string(who) + ": cannot allocate memory")) {
      failure = make_failure(find_class("memory.allocation"), {}, {});
    }
  }
  if (failure) {
    failure->evidence = diagnostics.substr(0, kEvidenceBytesMax);
  }
  return failure;
}

job::Failure failure_of(std::string_view class_name, std::string_view evidence) {
  LastWords words = read_last_words({}, evidence);
  return make_failure(find_class(class_name), {}, words);
}

}  // namespace muster::verdict
