#include "sim/full/full_run.h"

#include <array>

namespace muster::sim {
namespace {

constexpr std::array kFullProbes = {
    // Branches of the machine, as `Probes` names them.
    std::string_view("late grant released"),
    std::string_view("second grant of one ask released"),
    std::string_view("launch failed"),
    std::string_view("restart in the same container"),
    std::string_view("restart in a new container"),
    std::string_view("host avoided"),
    std::string_view("fifth generation"),
    std::string_view("task of a succeeded member runs again"),
    std::string_view("recovered while gathering"),
    std::string_view("recovered while running"),
    std::string_view("recovered while stopping"),
    std::string_view("agent suspected and back"),
    std::string_view("agent lost by silence"),
    std::string_view("stale attempt stopped on report"),
    std::string_view("stopped while gathering"),
    std::string_view("stopped while running"),
    std::string_view("a start is told again"),
    std::string_view("a preparation is told again"),
    std::string_view("several tasks in one container"),
    std::string_view("failed with victims"),
    std::string_view("address kept on rejoin"),
    // Branches of the shells: events of their logs.
    std::string_view("agent.fact_refused"),
    std::string_view("agent.leaves"),
    std::string_view("attempt.not-prepared"),
    std::string_view("attempt.not-started"),
    std::string_view("checkpoint.committed"),
    std::string_view("checkpoint.not-committed"),
    std::string_view("checkpoint.not-mirrored"),
    std::string_view("checkpoint.restored"),
    std::string_view("log.available"),
    std::string_view("log.damaged"),
    std::string_view("log.given_up"),
    std::string_view("master.fenced"),
    std::string_view("master.stale"),
    std::string_view("master.stalled"),
    std::string_view("master.started"),
    std::string_view("output.lost"),
    std::string_view("view.not-written"),
};

}  // namespace

std::span<const std::string_view> full_probes() { return kFullProbes; }

}  // namespace muster::sim
