#pragma once

#include "spec/spec.h"

namespace muster::client {

/// Has Python programs write at once, as they do on the terminal where their output is shown: to
/// what is none, they write 8 KiB at a time, so that a line of each epoch would come at the end. A
/// specification that sets PYTHONUNBUFFERED, to "" too, is left as it is.
void assume_terminal(spec::Spec& spec);

}  // namespace muster::client
