#pragma once

#include "framework/framework.h"

namespace muster::framework {

/// One value per framework, each in the file of its name.
extern const Framework kGeneric;
extern const Framework kStandalone;
extern const Framework kTensorflow;
extern const Framework kPytorch;
extern const Framework kJax;
extern const Framework kMxnet;
extern const Framework kHorovod;

}  // namespace muster::framework
