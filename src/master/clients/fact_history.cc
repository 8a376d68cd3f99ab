#include "master/clients/fact_history.h"

#include "base/check.h"
#include "wire/frame.h"

namespace muster::master {

void FactHistory::add(const eventlog::Record& record) {
  MUSTER_CHECK(record.index == frames_.size(), "facts are released in order");
  const wire::ClientEvent event =
      wire::FactLogged{record.index, record.at, record.wall, record.fact};
  frames_.push_back(std::make_shared<const std::string>(wire::encode(event)));
}

}  // namespace muster::master
