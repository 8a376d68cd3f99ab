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
  std::string_view stdout_tail;   ///< The last output; more than 32 KiB is not looked at.
  std::string_view stderr_tail;
  std::string_view python;  ///< The task's interpreter; "" if unknown.
};

/// What is known of Python, for the case that a task's framework cannot be imported. Every part may
/// be empty.
struct PythonContext {
  std::string module;         ///< The framework's: "tensorflow", "torch".
  std::string client_python;  ///< The interpreter of who submitted the job.
};

/// What an end amounts to, and how far to trust it.
struct Judgement {
  job::Failure failure;
  bool sure = true;  ///< False where no rule names what the program said, and only its form or an
                     ///< abort speaks.
};

/// Says what an end amounts to: class, kind, remedy, evidence, hint. The user's rules come before
/// the built-in ones. Cheap to make: the built-in patterns are compiled at the first end that needs
/// them. Not for use by two threads at once. The time for one end is bounded by the rules and 64
/// KiB of output, whatever it holds.
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
  /// The failure alone; where the judgement is a guess by the error's form, its hint says so.
  [[nodiscard]] job::Failure classify(const End& end) { return judge(end).failure; }
  /// The failure by the first of the user's rules that holds; nullopt: none does.
  [[nodiscard]] std::optional<job::Failure> judge_by_user(const End& end) const;
  /// The failure of a container's end by the cluster's own word, with that as its evidence: by a
  /// rule of the user, or a built-in one for the code. nullopt: no rule speaks of it.
  [[nodiscard]] std::optional<job::Failure> judge_container(std::string_view cluster_code,
                                                            std::string_view diagnostics) const;

 private:
  struct Patterns;
  Judgement judge_words(const End& end, const LastWords& words);
  /// Of an output that several processes wrote, and whose last words tell of a peer that is gone:
  /// what the one said that went first. nullopt: nobody said more.
  std::optional<Judgement> judge_first(const End& end, const LastWords& words);
  Classifier(std::unique_ptr<Patterns> patterns, PythonContext python);

  std::unique_ptr<Patterns> patterns_;
  PythonContext python_;
};

/// Returns the failure of a class without looking at any output, for ends that are known otherwise
/// ("host.lost").
[[nodiscard]] job::Failure failure_of(std::string_view class_name, std::string_view evidence = {});

}  // namespace muster::verdict
