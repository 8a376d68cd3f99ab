#include "stacks/flight_record.h"

#include "base/text.h"
#include "stacks/pickle.h"
#include "stacks/stack_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace muster::stacks {
namespace {

std::string text_in(const Pickle& pickle, const Pickle::Value& from, std::string_view key) {
  const Pickle::Value* const value = pickle.find(from, key);
  if (value == nullptr || value->kind != Pickle::Kind::Text) {
    return {};
  }
  return printable(std::string_view(value->text).substr(0, kTextBytesMax));
}

uint64_t number_in(const Pickle& pickle, const Pickle::Value& from, std::string_view key) {
  const Pickle::Value* const value = pickle.find(from, key);
  return value == nullptr || value->kind != Pickle::Kind::Integer || value->integer < 0
             ? 0
             : static_cast<uint64_t>(value->integer);
}

/// "process_group" is (name, description); the name is the same on all ranks, the id is not.
std::string group_of(const Pickle& pickle, const Pickle::Value& entry) {
  const Pickle::Value* const pair = pickle.find(entry, "process_group");
  if (pair == nullptr || pair->kind != Pickle::Kind::List || pair->items.empty()) {
    return text_in(pickle, entry, "pg_name");
  }
  const Pickle::Value& name = pickle.at(pair->items.front());
  return name.kind == Pickle::Kind::Text
             ? printable(std::string_view(name.text).substr(0, kTextBytesMax))
             : std::string();
}

/// Returns where the program made the call, from the innermost frame outwards.
std::string place_of_call(const Pickle& pickle, const Pickle::Value& entry) {
  const Pickle::Value* const frames = pickle.find(entry, "frames");
  if (frames == nullptr || frames->kind != Pickle::Kind::List) {
    return {};
  }
  Thread thread;
  for (const uint32_t item : frames->items) {
    const Pickle::Value& frame = pickle.at(item);
    if (thread.frames.size() < kFramesMax) {
      thread.frames.push_back({.function = text_in(pickle, frame, "name"),
                               .file = text_in(pickle, frame, "filename"),
                               .line = static_cast<uint32_t>(number_in(pickle, frame, "line"))});
    }
  }
  return place_of(thread);
}

/// Returns "all_reduce" for "nccl:all_reduce".
std::string call_of(const Pickle& pickle, const Pickle::Value& entry) {
  std::string name = text_in(pickle, entry, "profiling_name");
  if (const size_t colon = name.find(':'); colon != std::string::npos) {
    name.erase(0, colon + 1);
  }
  return name.empty() ? "a collective call" : name;
}

/// Returns "[10, 2], [4]" for [[10, 2], [4]], the sizes of the tensors that a rank gave to the
/// call.
std::string sizes_of(const Pickle& pickle, const Pickle::Value& entry) {
  const Pickle::Value* const tensors = pickle.find(entry, "input_sizes");
  std::string text;
  if (tensors == nullptr || tensors->kind != Pickle::Kind::List) {
    return text;
  }
  for (const uint32_t item : tensors->items) {
    const Pickle::Value& tensor = pickle.at(item);
    if (tensor.kind != Pickle::Kind::List || text.size() > kTextBytesMax) {
      break;
    }
    text += text.empty() ? "[" : ", [";
    for (size_t i = 0; i < tensor.items.size() && text.size() <= kTextBytesMax; ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", pickle.at(tensor.items[i]).integer);
    }
    text += "]";
  }
  return text.substr(0, kTextBytesMax);
}

}  // namespace

Result<std::vector<Collectives>> read_flight_record(std::string_view dump) {
  MUSTER_TRY(const Pickle pickle, Pickle::read(dump));
  const Pickle::Value* const entries = pickle.find(pickle.root(), "entries");
  if (entries == nullptr || entries->kind != Pickle::Kind::List) {
    return Error{Errc::Corrupt, Blame::User, "it has no list of entries"};
  }
  std::map<std::string, Collectives> groups;
  std::map<std::string, const Pickle::Value*> last;
  for (const uint32_t item : entries->items) {
    const Pickle::Value& entry = pickle.at(item);
    const Pickle::Value* const alone = pickle.find(entry, "is_p2p");
    const uint64_t number =
        std::max(number_in(pickle, entry, "collective_seq_id"), number_in(pickle, entry, "seq_id"));
    if (number == 0 || (alone != nullptr && alone->integer != 0)) {
      continue;
    }
    Collectives& group = groups[group_of(pickle, entry)];
    if (number >= group.entered) {
      group.entered = number;
      last[group_of(pickle, entry)] = &entry;
    }
    // With gloo, the state stays "scheduled".
    const Pickle::Value* const retired = pickle.find(entry, "retired");
    if (text_in(pickle, entry, "state") == "completed" ||
        (retired != nullptr && retired->integer != 0)) {
      group.completed = std::max(group.completed, number);
    }
  }
  std::vector<Collectives> found;
  for (auto& [name, group] : groups) {
    group.group = name;
    group.call = call_of(pickle, *last.at(name));
    group.place = place_of_call(pickle, *last.at(name));
    group.sizes = sizes_of(pickle, *last.at(name));
    found.push_back(std::move(group));
  }
  std::ranges::sort(found, [](const Collectives& one, const Collectives& other) {
    return std::tie(other.entered, one.group) < std::tie(one.entered, other.group);
  });
  found.resize(std::min(found.size(), kCollectivesMax));
  return found;
}

}  // namespace muster::stacks
