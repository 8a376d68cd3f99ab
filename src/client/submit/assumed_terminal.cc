#include "client/submit/assumed_terminal.h"

namespace muster::client {

void assume_terminal(spec::Spec& spec) {
  spec.env.try_emplace("PYTHONUNBUFFERED", spec::EnvValue{.text = "1"});
}

}  // namespace muster::client
