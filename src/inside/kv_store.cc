#include "inside/kv_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::inside {
namespace {

bool is_rank(std::string_view key) {
  return std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

size_t KvStore::size_of(std::string_view scope, std::string_view key, std::string_view value) {
  return scope.size() + 1 + key.size() + value.size();
}

Status KvStore::put(std::string_view scope, std::string_view key, std::string value) {
  if (size_of(scope, key, "") > limits_.key_max) {
    return user_error(fmt::format("a key is longer than {} bytes", limits_.key_max));
  }
  if (value.size() > limits_.value_max) {
    return user_error(fmt::format("a value is longer than {} bytes", limits_.value_max));
  }
  const std::string* const before = find(scope, key);
  const size_t freed = before == nullptr ? 0 : size_of(scope, key, *before);
  const size_t bytes = bytes_ - freed + size_of(scope, key, value);
  const size_t entries = entries_ + (before == nullptr ? 1 : 0);
  if (bytes > limits_.bytes_max || entries > limits_.entries_max) {
    return user_error(fmt::format("the store is full: it holds at most {} values and {} bytes",
                                  limits_.entries_max, limits_.bytes_max));
  }
  bytes_ = bytes;
  entries_ = entries;
  auto found = scopes_.find(scope);
  if (found == scopes_.end()) {
    found = scopes_.emplace(scope, Scope()).first;
  }
  Value& kept = found->second.values[std::string(key)];
  found->second.unfinished += is_rank(key) && (before == nullptr || kept.finished) ? 1 : 0;
  kept = {.text = std::move(value)};
  return {};
}

const std::string* KvStore::find(std::string_view scope, std::string_view key) const {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) {
    return nullptr;
  }
  const auto value = found->second.values.find(key);
  return value == found->second.values.end() ? nullptr : &value->second.text;
}

void KvStore::finish(std::string_view scope, std::string_view key) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) {
    return;
  }
  auto& [values, unfinished] = found->second;
  const auto value = values.find(key);
  if (value == values.end() || value->second.finished) {
    return;
  }
  if (!is_rank(key)) {
    bytes_ -= size_of(scope, key, value->second.text);
    --entries_;
    values.erase(value);
    return;
  }
  value->second.finished = true;
  --unfinished;
  if (unfinished > 0) {
    return;
  }
  for (const auto& [name, each] : values) {
    bytes_ -= size_of(scope, name, each.text);
  }
  entries_ -= values.size();
  scopes_.erase(found);
}

}  // namespace muster::inside
