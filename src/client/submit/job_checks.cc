#include "client/submit/job_checks.h"

#include "base/text.h"
#include "framework/plan.h"
#include "spec/check/program_check.h"
#include "spec/read/problems.h"
#include "verdict/classifier.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {
namespace {

/// Compiles the patterns only to refuse bad ones here: every agent of the job needs them.
Status check_rules(const spec::Loaded& loaded) {
  spec::Problems problems;
  const std::vector<spec::Rule>& rules = loaded.spec.rules;
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto classifier = verdict::Classifier::make(std::span(rules).subspan(i, 1));
    if (!classifier) {
      const spec::Origin origin =
          origin_of(loaded.document, {"rules", std::to_string(i), "match", "pattern"});
      problems.add(origin, classifier.error().message);
    }
  }
  return problems.empty() ? Status() : Status(problems.error());
}

/// Messages about a plan begin with the key that they are about: "roles.worker.membership: ...".
Status check_plan(const spec::Loaded& loaded) {
  const Result<job::Plan> plan = framework::plan(loaded.spec, {.job = job::JobId("check")});
  if (plan) {
    return {};
  }
  const std::string& message = plan.error().message;
  const std::string_view key = std::string_view(message).substr(0, message.find(": "));
  std::vector<std::string> path;
  for (const std::string_view part : split(key, '.')) {
    path.emplace_back(part);
  }
  spec::Problems problems;
  problems.add(origin_of(loaded.document, path), message);
  return problems.error();
}

}  // namespace

Status check_job(const spec::Loaded& loaded, spec::FileProbe& probe, bool own_folders) {
  MUSTER_TRY_STATUS(spec::check_files(loaded.spec, loaded.document, probe));
  if (own_folders) {
    MUSTER_TRY_STATUS(spec::check_programs(loaded.spec, loaded.document, probe));
  }
  MUSTER_TRY_STATUS(check_rules(loaded));
  return check_plan(loaded);
}

}  // namespace muster::client
