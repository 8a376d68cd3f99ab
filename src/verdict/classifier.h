#pragma once

#include "base/result.h"
#include "job/failure.h"
#include "spec/settings.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::verdict {

struct LastWords;

/// An attempt's end as its agent knows it.
struct End {
  job::Exit exit;                 ///< Its `failure` is not read.
  bool stopped = false;           ///< Muster asked it to stop before it ended.
  std::string_view cluster_code;  ///< The cluster's own exit status ("-104"), if any.
  std::string_view stdout_tail;   ///< The last output; at most 32 KiB of it is examined.
  std::string_view stderr_tail;
  std::string_view python;  ///< The task's interpreter; "" if unknown.
};

/// What is known about Python, in case a task's framework cannot be imported. Every part may be
/// empty.
struct PythonContext {
  std::string module;         ///< The framework's: "tensorflow", "torch".
  std::string client_python;  ///< The interpreter of whoever submitted the job.
};

/// What an end amounts to, and how far to trust it.
struct Judgement {
  job::Failure failure;
  bool sure = true;  ///< False if no rule knows what the program said, so that only its form or an
                     ///< abort counts.
};

/// Determines what an end amounts to: class, kind, remedy, evidence, hint. The user's rules come
/// before the built-in ones. Cheap to make: the built-in patterns are compiled at the first end
/// that needs them. Must not be used by two threads at once. The time for one end is bounded by the
/// rules and 64 KiB of output, whatever that contains.
class Classifier {
 public:
  /// Compiles the user's patterns. An error names the rule whose pattern is not an RE2 expression.
  [[nodiscard]] static Result<Classifier> make(std::span<const spec::Rule> rules,
                                               PythonContext python = {});

  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  /// `end` must not be a success.
  [[nodiscard]] Judgement judge(const End& end);
  /// Returns the failure alone; if the judgement is a guess by the error's form, its hint says so.
  [[nodiscard]] job::Failure classify(const End& end) { return judge(end).failure; }
  /// Returns the failure by the first of the user's rules that matches; nullopt if none does.
  [[nodiscard]] std::optional<job::Failure> judge_by_user(const End& end) const;
  /// Returns the failure of a container's end by the cluster's own message, with that as its
  /// evidence: by a rule of the user, or a built-in one for the code. nullopt if no rule covers it.
  [[nodiscard]] std::optional<job::Failure> judge_container(std::string_view cluster_code,
                                                            std::string_view diagnostics) const;

 private:
  struct Patterns;
  Judgement judge_words(const End& end, const LastWords& words);
  /// For output written by several processes, whose last words report a peer that is gone: judges
  /// by what the process said that ended first. nullopt if none said more.
  std::optional<Judgement> judge_first(const End& end, const LastWords& words);
  Classifier(std::unique_ptr<Patterns> patterns, PythonContext python);

  std::unique_ptr<Patterns> patterns_;
  PythonContext python_;
};

/// Returns the failure of a class without looking at any output, for ends that are known from
/// elsewhere ("host.lost").
[[nodiscard]] job::Failure failure_of(std::string_view class_name, std::string_view evidence = {});

}  // namespace muster::verdict
