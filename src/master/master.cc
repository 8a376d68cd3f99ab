#include "master/master.h"

#include "master/opening.h"
#include "master/term.h"

#include <utility>

namespace muster::master {

Master::Master(MasterDeps deps, MasterOptions options)
    : deps_(deps), options_(std::move(options)) {}

Master::~Master() = default;

Status Master::start(Ended ended) {
  MUSTER_TRY(Opened opened, open_job(deps_, options_));
  term_ = std::make_unique<Term>(deps_, options_, std::move(opened), std::move(ended));
  return term_->begin();
}

void Master::stop(job::StopAsked asked) { term_->stop(std::move(asked)); }

const std::string& Master::address() const { return term_->address(); }

const job::Machine& Master::machine() const { return term_->machine(); }

const FactHistory& Master::history() const { return term_->history(); }

void Master::follow_output(bool on) { term_->follow_output(on); }

void Master::audience_served() { term_->audience_served(); }

const SampleBook& Master::samples() const { return term_->samples(); }

std::string Master::status() const { return term_->status(); }

}  // namespace muster::master
