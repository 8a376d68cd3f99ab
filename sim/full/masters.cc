#include "sim/full/masters.h"

#include "sim/full/run_cluster.h"

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kGoodbyeMax = std::chrono::minutes(1);

std::string master_name(uint64_t number) { return "master" + std::to_string(number); }

}  // namespace

Result<cluster::MasterSought> Masters::seek() {
  using Kind = cluster::MasterSought::Kind;
  if (!place_.summary.empty()) {
    return cluster::MasterSought{Kind::Over, ""};
  }
  if (newest_ == nullptr && setting_.agents_start_masters && !coming_) {
    coming_ = true;
    setting_.world.after(
        setting_.world.random().between(Duration(milliseconds(5)), Duration(milliseconds(200))),
        [this] { start(); });
    return cluster::MasterSought{Kind::Started, ""};
  }
  // The file names the last master that came to publish its place: it may be dead by now.
  return cluster::MasterSought{Kind::Alive, address()};
}

MasterProcess::Around Masters::process_around() {
  return {
      .world = setting_.world,
      .network = setting_.network,
      .disk = around_.disk,
      .place = place_,
      .sink = setting_.log,
      .pace = setting_.pacing.pace_of(master_name(started_)),
      .open_link = [this](MasterProcess& process) { return around_.cluster.open_link(process); },
      .ends_job = [this](const MasterProcess& process) { ends_job(process); },
      .over = [this](MasterProcess* process, const master::MasterEnd& end) { ended(process, end); },
      .doomed =
          [this](MasterProcess* process) {
            if (process == newest_.get()) {
              die(false);
            } else {
              replaced_dies(process);
            }
          }};
}

void Masters::start() {
  coming_ = false;
  if (newest_ != nullptr || over_) {
    return;
  }
  if (around_.cluster.is_over()) {
    over_ = true;  // The last one reported the end and died before it heard that YARN knows.
    return;
  }
  ++started_;
  newest_ = std::make_unique<MasterProcess>(process_around(), setting_.master_options,
                                            master_name(started_));
  if (setting_.faults.strikes(Fault::MasterCrashesAmid)) {
    newest_->doom(setting_.world.random().below(40), setting_.faults.strikes(Fault::TornLog));
  }
  const Status started = newest_->start();
  if (!started) {
    refused_ = started.error().message;
    around_.cluster.master_failed();
    bury(std::move(newest_));
    needed();
    return;
  }
  refused_.clear();
}

void Masters::bury(std::unique_ptr<MasterProcess> process) {
  // One of its callbacks may be running now.
  buried_.push_back(std::move(process));
  setting_.world.after({}, [this] { buried_.clear(); });
}

MasterProcess* Masters::named(std::string_view name) const {
  if (newest_ != nullptr && newest_->name() == name) {
    return newest_.get();
  }
  for (const auto& old : replaced_) {
    if (old->name() == name) {
      return old.get();
    }
  }
  return nullptr;
}

std::vector<std::string> Masters::names() const {
  std::vector<std::string> names;
  for (uint64_t number = 1; number <= started_ + 1; ++number) {
    names.push_back(master_name(number));
  }
  return names;
}

void Masters::replace_newest() {
  around_.cluster.master_failed();
  replaced_.push_back(std::move(newest_));
  needed();
}

void Masters::replaced_dies(const MasterProcess* process) {
  const auto old = std::ranges::find(replaced_, process, &std::unique_ptr<MasterProcess>::get);
  if (old != replaced_.end()) {
    bury(std::move(*old));
    replaced_.erase(old);
  }
}

void Masters::ends_job(const MasterProcess& process) {
  // Until its successor has made a segment it may end the job, and its successor finds the end.
  if (process.fenced() && around_.judgement.machine().state().phase != job::JobPhase::Ended) {
    around_.judgement.broken("fence",
                             process.name() + " ends the job while a newer master is in charge");
  }
}

void Masters::ended(MasterProcess* process, const master::MasterEnd& end) {
  if (process != newest_.get()) {
    replaced_dies(process);
    return;
  }
  if (end.kind != master::MasterEnd::Kind::JobEnded) {
    around_.judgement.broken("fence", "the only master was fenced");
    return;
  }
  process->end().master_done = true;
  if (!around_.cluster.is_yarn()) {
    last_ended();
    return;
  }
  setting_.world.after({}, [this, name = process->name()] { leave_yarn(name); });
  setting_.world.after(kGoodbyeMax, [this, name = process->name()] { link_left(name); });
}

void Masters::last_ended() {
  over_ = true;
  bury(std::move(newest_));
}

void Masters::link_left(const std::string& name) {
  if (MasterProcess* const leaving = named(name)) {
    leaving->end().link_left = true;
    leave_yarn(name);
  }
}

// On YARN it exits once its line has left, or a minute after the job's end. An attempt that exits
// without having said farewell has failed, and the next one says it.
void Masters::leave_yarn(const std::string& name) {
  MasterProcess* const process = named(name);
  if (process == nullptr || !process->end().master_done || !process->end().link_left) {
    return;
  }
  if (process != newest_.get()) {
    replaced_dies(process);
  } else if (around_.cluster.is_over()) {
    last_ended();
  } else {
    die(false);
  }
}

void Masters::die(bool torn) {
  if (newest_ == nullptr) {
    return;
  }
  around_.cluster.master_failed();
  const std::unique_ptr<MasterProcess> dead = std::move(newest_);
  dead->crash(torn);
  needed();
}

void Masters::dismissed(const MasterProcess* process) {
  if (process == newest_.get()) {
    die(false);
  } else {
    replaced_dies(process);
  }
}

// Whoever starts masters does so after a while. Agents can do it only while there are any.
void Masters::needed() {
  const Duration gap =
      setting_.world.random().between(Duration(milliseconds(50)), Duration(seconds(8)));
  const Duration patience = setting_.agents_start_masters ? gap + seconds(30) : gap;
  setting_.world.after(patience, [this] {
    if (newest_ == nullptr && !coming_) {
      start();
    }
  });
}

}  // namespace muster::sim
