// The feed library without src/feed/python_layout.cc: what it does on a Python whose layout it does
// not know. `tools/bench --only feed` measures both.

#include "feed/python_layout.h"

namespace muster::feed {

PythonLayout::PythonLayout(PyObject* /*ndarray*/) {}

}  // namespace muster::feed
