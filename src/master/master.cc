#include "master/master.h"

#include "master/opening.h"
#include "master/reign.h"

#include <utility>

namespace muster::master {

Master::Master(MasterDeps deps, MasterOptions options)
    : deps_(deps), options_(std::move(options)) {}

Master::~Master() = default;

Status Master::start(Ended ended) {
  MUSTER_TRY(Opened opened, open_job(deps_, options_));
  reign_ = std::make_unique<Reign>(deps_, options_, std::move(opened), std::move(ended));
  return reign_->begin();
}

void Master::stop(std::string by) { reign_->stop(std::move(by)); }

const std::string& Master::address() const { return reign_->address(); }

const job::Machine& Master::machine() const { return reign_->machine(); }

void Master::follow_output(bool on) { reign_->follow_output(on); }

void Master::audience_served() { reign_->audience_served(); }

std::string Master::status() const { return reign_->status(); }

}  // namespace muster::master
