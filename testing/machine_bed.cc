#include "testing/machine_bed.h"

#include "cluster/job_reading.h"
#include "cluster/master_place_file.h"
#include "eventlog/summary.h"
#include "rt/io_loop.h"
#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <utility>
#include <variant>

namespace muster::testing {
namespace {

constexpr const char* kId = "SOME-JOB";
constexpr int kLooksMax = 2000;
constexpr std::chrono::milliseconds kLookPause{5};

void wait_a_little() {
  rt::IoLoop loop;
  loop.run_until(loop.now() + kLookPause);
}

constexpr const char* kScript = R"sh(#!/bin/sh
# usage: master --job FOLDER --ready-fd N ...
here=$(dirname "$0") job=$3
finish() {
  sed "s/SOME-JOB/${job##*/}/g" "$here/$1" >"$job/summary.tmp"
  mv "$job/summary.tmp" "$job/summary.json"
  exit 0
}
trap 'finish stopped' TERM
trap 'finish succeeded' USR1
cat >"$job/master.json" <<END
{"schema":"muster.master/1","address":"127.0.0.1:4711","epoch":1,"pid":$$}
END
echo "ready 127.0.0.1:4711" >&4
exec 4>&-
while :; do sleep 0.02; done
)sh";

/// Returns the summary of a job that ended with this outcome.
std::string summary_of(job::Outcome outcome) {
  const auto spec = spec::from_quick(
      {.tasks = {}, .framework = {}, .name = {}, .roles = {}, .command = {"true"}});
  const auto plan = plan_of_spec(spec::to_json(*spec), kId, 1);
  job::Machine machine(*plan);
  return eventlog::summary_json(
      *plan, eventlog::closed_state(machine.state(), std::move(outcome), Time{}), {});
}

}  // namespace

MachineBed::MachineBed() {
  std::ofstream(folder() / "stopped") << summary_of(cluster::stopped_outcome("stopped"));
  std::ofstream(folder() / "succeeded") << summary_of({});
  std::ofstream(program()) << kScript;
  std::filesystem::permissions(program(), std::filesystem::perms(0755));
}

void MachineBed::signal(const cluster::JobFolder& job, int number) {
  const auto place = cluster::parse_master_place(files_->read(job.master_place()).value_or(""));
  ASSERT_TRUE(place.has_value());
  ::kill(place->pid, number);
}

void MachineBed::write(const cluster::JobFolder& job, std::string_view text) {
  std::ofstream(job.logs() / "worker-0.1.stdout", std::ios::app) << text;
}

void MachineBed::end(const cluster::JobFolder& job) {
  signal(job, SIGUSR1);
  for (int i = 0; i < kLooksMax && !files_->exists(job.summary()); ++i) {
    wait_a_little();
  }
}

bool MachineBed::lose(const cluster::JobFolder& job) {
  signal(job, SIGKILL);
  for (int i = 0; i < kLooksMax; ++i) {
    const auto report = cluster().report(job);
    if (report.has_value() && std::holds_alternative<cluster::Lost>(*report)) {
      break;
    }
    wait_a_little();
  }
  return true;
}

void MachineBed::end_all() {
  const auto jobs = home().jobs();
  for (const cluster::JobEntry& entry :
       jobs.has_value() ? *jobs : std::vector<cluster::JobEntry>()) {
    const auto report = cluster().report(entry.folder);
    if (report.has_value() && std::holds_alternative<cluster::Running>(*report)) {
      signal(entry.folder, SIGKILL);
    }
  }
}

}  // namespace muster::testing
