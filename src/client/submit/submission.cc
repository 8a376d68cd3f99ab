#include "client/submit/submission.h"

#include "base/ascii.h"
#include "base/text.h"
#include "control/keys.h"
#include "eventlog/plan_file.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>

namespace muster::client {
namespace {

/// Without 0, 1, l and o: ids are read aloud and typed.
constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";
constexpr size_t kNameMax = 40;
constexpr int kIdTries = 16;

Status write_folder(os::Files& files, const cluster::JobFolder& folder, const ReadJob& job,
                    const eventlog::PlanFile& plan, rt::Random& random) {
  control::Secret secret{};
  random.fill(secret);
  for (const std::filesystem::path& path :
       {folder.logs(), folder.events(), folder.containers(), folder.work()}) {
    MUSTER_TRY_STATUS(files.make_folder(path, 0700));
  }
  MUSTER_TRY_STATUS(files.create(folder.spec(), job.spec_text, {.mode = 0600}));
  MUSTER_TRY_STATUS(files.create(folder.secret(), control::to_hex(secret) + "\n", {.mode = 0600}));
  secret.fill(0);
  // Written last and atomically: a folder counts as a job from the moment its plan is there.
  return files.write(folder.plan(), to_text(plan), {.mode = 0600});
}

Result<cluster::JobFolder> make_folder(const SubmitDeps& deps, std::string_view name) {
  MUSTER_TRY_STATUS(deps.files.make_folders(deps.home.jobs_folder(), 0700));
  for (int i = 0; i < kIdTries; ++i) {
    cluster::JobFolder folder(deps.home.jobs_folder() / make_job_id(name, deps.random));
    const Status made = deps.files.make_folder(folder.root(), 0700);
    if (made) {
      return folder;
    }
    if (made.error().code != Errc::AlreadyExists) {
      return made.error();
    }
  }
  return bug("every random job id was already in use");
}

}  // namespace

std::string make_job_id(std::string_view name, rt::Random& random) {
  std::string id;
  for (const char c : name) {
    const char lower = ascii_lower(c);
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) {
      id += lower;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
    if (id.size() == kNameMax) {
      break;
    }
  }
  while (!id.empty() && id.back() == '-') {
    id.pop_back();
  }
  id += id.empty() ? "job-" : "-";
  std::array<uint8_t, 6> bytes{};
  random.fill(bytes);
  for (const uint8_t byte : bytes) {
    id += kLetters[byte % kLetters.size()];
  }
  return id;
}

Result<Submitted> submit_job(const SubmitDeps& deps, const ReadJob& job,
                             const Submitter& submitter) {
  uint64_t seed = 0;
  std::array<uint8_t, sizeof seed> bytes{};
  deps.random.fill(bytes);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  MUSTER_TRY(cluster::JobFolder folder, make_folder(deps, job.loaded.spec.name));
  eventlog::PlanFile file;
  file.job_id = folder.id().value;
  file.seed = seed;
  file.submitted = submitter.now;
  file.on = std::string(deps.cluster.name());
  file.user = submitter.user;
  file.python = submitter.python;
  file.spec_json = spec::to_json(job.loaded.spec);
  const auto undo = [&](Error error) {
    (void)deps.files.remove_tree(folder.root());
    return error;
  };
  Result<job::Plan> plan = deps.make_plan(job.loaded.spec, file.job_id, seed);
  if (!plan) {
    return undo(plan.error());
  }
  if (const Status written = write_folder(deps.files, folder, job, file, deps.random); !written) {
    return undo(written.error());
  }
  Result<cluster::MasterPlace> place = deps.cluster.submit({.plan = &*plan,
                                                            .job_folder = folder.root(),
                                                            .working_folder = {},
                                                            .followed = submitter.follows});
  if (!place) {
    return undo(place.error());
  }
  return Submitted{std::move(folder), std::move(*place), std::move(*plan)};
}

}  // namespace muster::client
