#include "sim/full/setting.h"

#include "base/check.h"
#include "eventlog/derive_plan.h"
#include "sim/full/spec_maker.h"
#include "spec/write/serialize.h"

#include <string>
#include <string_view>
#include <utility>

namespace muster::sim {
namespace {

constexpr std::string_view kJob = "sim-000001";

master::MasterOptions make_master_options(Random& random) {
  master::MasterOptions options;
  options.job = job::JobId{std::string(kJob)};
  options.plan_json = spec::to_json(make_spec(random.fork()));
  options.seed = random.next();
  options.plan_of = eventlog::derive_plan;
  options.listen.host = "master";
  options.logs_folder = "/job/logs";
  options.version = "sim";
  return options;
}

job::Plan derived_plan(const master::MasterOptions& options) {
  Result<job::Plan> plan = options.plan_of(options.plan_json, options.job.value, options.seed);
  MUSTER_CHECK(plan.has_value(), plan.has_value() ? "" : plan.error().message);
  return std::move(*plan);
}

}  // namespace

Setting::Setting(const SeedRun& seed)
    : world(seed.seed),
      master_options(make_master_options(world.random())),
      plan(derived_plan(master_options)),
      faults(world.random().fork(), seed.without, kFaultCount),
      agents_start_masters(world.random().chance(50) && !seed.yarn),
      network_loop(world, {.booted = {}, .wall_offset = {}, .late_max = {}, .pool_takes = {}}),
      network(network_loop),
      pacing(world, faults, plan.liveness),
      log(world, seed.trace) {
  network.latency = [this](const std::string&, const std::string&) { return pacing.travel(); };
}

}  // namespace muster::sim
