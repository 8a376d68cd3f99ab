#include "hadoop/rpc/failure.h"

namespace muster::hadoop::rpc {

bool Failure::is(std::string_view java_class) const {
  const std::string_view full = exception_class;
  if (!full.ends_with(java_class) || java_class.empty()) {
    return false;
  }
  return full.size() == java_class.size() || full[full.size() - java_class.size() - 1] == '.';
}

}  // namespace muster::hadoop::rpc
