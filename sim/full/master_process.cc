#include "sim/full/master_process.h"

#include <utility>

namespace muster::sim {

MasterProcess::MasterProcess(Around around, const master::MasterOptions& options, std::string name)
    : around_(std::move(around)),
      name_(std::move(name)),
      loop_(around_.world, around_.pace),
      transport_(around_.network, name_, &loop_),
      store_(around_.world, loop_, around_.disk, [this] { return master_->machine().digest(); }),
      link_(around_.open_link(*this)),
      publisher_(*this),
      master_(std::make_unique<master::Master>(
          master::MasterDeps{loop_, transport_, *link_, store_, publisher_, around_.sink},
          options)) {}

MasterProcess::~MasterProcess() { crash(false); }

Status MasterProcess::start() {
  return master_->start([this](const master::MasterEnd& end) {
    around_.world.after({}, [over = around_.over, self = this, end] { over(self, end); });
  });
}

void MasterProcess::crash(bool torn) {
  dying_ = true;
  store_.crash(torn);
  loop_.kill();
  master_.reset();
  link_.reset();
}

bool MasterProcess::may_act() {
  if (acts_left_ && !dying_) {
    if (*acts_left_ == 0) {
      dying_ = true;
      store_.crash(torn_);
      around_.world.after({}, [doomed = around_.doomed, self = this] { doomed(self); });
    } else {
      --*acts_left_;
    }
  }
  return !dying_;
}

Status MasterProcess::Publisher::publish(const cluster::MasterPlaceFile& place) {
  if (process_.may_act()) {
    process_.around_.place.file = place;
  }
  return {};
}

Status MasterProcess::Publisher::write_summary(const std::string& text) {
  if (process_.may_act()) {
    process_.around_.place.summary = text;
    process_.around_.ends_job(process_);
  }
  return {};
}

void MasterProcess::Publisher::free_room() {
  if (process_.may_act() && process_.around_.world.random().chance(30)) {
    process_.around_.disk.back_at = process_.around_.world.now();
  }
}

}  // namespace muster::sim
