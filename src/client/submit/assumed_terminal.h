#pragma once

#include "spec/spec.h"

namespace muster::client {

/// Makes Python programs write at once, as they do on a terminal, since their output is shown on
/// one: otherwise they write 8 KiB at a time, so that a line for each epoch would appear only at
/// the end. A specification that sets PYTHONUNBUFFERED, even to "", is left as it is.
void assume_terminal(spec::Spec& spec);

}  // namespace muster::client
