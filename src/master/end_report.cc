#include "master/end_report.h"

#include "rt/async.h"

namespace muster::master {
namespace {

rt::Async<> at_once() { co_return; }

}  // namespace

void EndReport::tell(MasterEnd end, std::function<void()> close) {
  running_ = rt::start(loop_, at_once(), [this, end = std::move(end), close = std::move(close)] {
    close();
    const Ended ended = ended_;
    ended(end);
  });
}

}  // namespace muster::master
