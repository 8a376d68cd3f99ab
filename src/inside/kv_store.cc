#include "inside/kv_store.h"

#include <fmt/format.h>

#include <utility>

namespace muster::inside {
namespace {

std::string whole_key(std::string_view scope, std::string_view key) {
  return fmt::format("{}/{}", scope, key);
}

}  // namespace

Status KvStore::put(std::string_view scope, std::string_view key, std::string value) {
  std::string whole = whole_key(scope, key);
  if (whole.size() > limits_.key_max) {
    return user_error(fmt::format("a key is longer than {} bytes", limits_.key_max));
  }
  if (value.size() > limits_.value_max) {
    return user_error(fmt::format("a value is longer than {} bytes", limits_.value_max));
  }
  const auto found = values_.find(whole);
  const size_t before = found == values_.end() ? 0 : whole.size() + found->second.size();
  const size_t after = bytes_ - before + whole.size() + value.size();
  if (after > limits_.bytes_max || (before == 0 && values_.size() >= limits_.entries_max)) {
    return user_error(fmt::format("the store is full: it holds at most {} values and {} bytes",
                                  limits_.entries_max, limits_.bytes_max));
  }
  bytes_ = after;
  values_.insert_or_assign(std::move(whole), std::move(value));
  return {};
}

const std::string* KvStore::find(std::string_view scope, std::string_view key) const {
  const auto found = values_.find(whole_key(scope, key));
  return found == values_.end() ? nullptr : &found->second;
}

void KvStore::erase(std::string_view scope, std::string_view key) {
  const auto found = values_.find(whole_key(scope, key));
  if (found != values_.end()) {
    bytes_ -= found->first.size() + found->second.size();
    values_.erase(found);
  }
}

}  // namespace muster::inside
