#include "sim/faults.h"

namespace muster::sim {
namespace {

constexpr std::array<std::string_view, kFaultCount> kFaultNames = {
    "slow-messages",     "doubled-facts",       "broken-connections", "partitions",
    "program-fails",     "program-hangs",       "prepare-fails",      "agent-dies",
    "host-dies",         "host-isolated",       "preemption",         "launch-fails",
    "refused-requests",  "late-grants",         "doubled-grants",     "never-granted",
    "scarce-cluster",    "master-crashes",      "master-stalls",      "log-unavailable",
    "stop-asked",        "overtaken-words",     "program-lies",       "agent-lies",
    "slow-releases",     "master-crashes-amid", "torn-log",           "agent-stalls",
    "spawn-fails",       "ports-taken",         "disk-full",          "slow-disk",
    "over-memory",       "children-stay",       "term-ignored",       "clocks-differ",
    "connections-stall", "master-replaced",     "ends-unconfirmed",   "ends-told-early",
    "ends-told-falsely", "manager-away",        "manager-fails-over", "answers-lost",
    "node-away",         "tokens-roll",
};

constexpr uint32_t kHardlyEver = 90;
constexpr uint64_t kLater = 0x6C61746572;

}  // namespace

std::string_view to_string(Fault fault) { return kFaultNames[static_cast<size_t>(fault)]; }

Faults::Faults(Random random, const std::set<Fault>& without, size_t kinds)
    : random_(random), later_(Random(random).next() ^ kLater) {
  for (size_t i = 0; i < kinds; ++i) {
    draw(random_, static_cast<Fault>(i), without);
  }
  for (size_t i = kShellFaultCount; i < kFaultCount; ++i) {
    draw(later_, static_cast<Fault>(i), without);
  }
  // Some programs hardly ever succeed.
  uint32_t& programs = percent_[static_cast<size_t>(Fault::ProgramFails)];
  programs = programs > 0 && random_.chance(20) ? kHardlyEver : programs;
}

void Faults::draw(Random& random, Fault fault, const std::set<Fault>& without) {
  const bool on = random.chance(50);
  const auto percent = static_cast<uint32_t>(random.between(uint64_t{2}, uint64_t{25}));
  percent_[static_cast<size_t>(fault)] = on && !without.contains(fault) ? percent : 0;
}

bool Faults::strikes(Fault fault) {
  const auto index = static_cast<size_t>(fault);
  const uint32_t percent = percent_[index];
  return active_ && percent > 0 && (index < kShellFaultCount ? random_ : later_).chance(percent);
}

std::string Faults::names() const {
  std::string names;
  for (size_t i = 0; i < kFaultCount; ++i) {
    if (percent_[i] > 0) {
      names += (names.empty() ? "" : " ") + std::string(kFaultNames[i]);
    }
  }
  return names.empty() ? "none" : names;
}

}  // namespace muster::sim
