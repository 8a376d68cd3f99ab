// Advice on the jobs of test/advice/profiles.txt: both what is measured of them and what a good
// adviser says are data.
#include "account/advice.h"
#include "base/text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace muster::account {
namespace {

struct Profile {
  std::string name;
  Evidence evidence;
  std::map<std::string, std::map<std::string, double>> expected;  ///< Numbers, by rule.
};

using Words = std::map<std::string, std::string>;

/// Parses "50", "1500m", "2g", "250ms", "4h10m": bytes, seconds or just a number.
double number(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"", 1}, {"ms", 1e-3}, {"s", 1}, {"h", 3600}, {"min", 60}, {"M", 1 << 20}, {"g", 1 << 30}};
  double sum = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double value = 0;
    at = std::from_chars(at, end, value).ptr;
    std::string unit;
    while (at != end && std::isalpha(static_cast<unsigned char>(*at)) != 0) {
      unit += *at++;
    }
    const auto known = kUnits.find(unit);
    if (known == kUnits.end()) {
      ADD_FAILURE() << text;
      return 0;
    }
    sum += value * known->second;
  }
  return sum;
}

/// "m" means minutes in a time, and mebibytes elsewhere.
std::string unambiguous(std::string text, const std::string& minutes_or_mebibytes) {
  for (size_t at = text.find('m'); at != std::string::npos; at = text.find('m', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != 's') {
      text.replace(at, 1, minutes_or_mebibytes);
    }
  }
  return text;
}

Duration time_of(const std::string& text) {
  return Duration(std::llround(number(unambiguous(text, "min")) * 1e6));
}

double bytes_of(const std::string& text) { return number(unambiguous(text, "M")); }

/// Parses "110m..790m/50s".
Growth growth_of(const std::string& text) {
  const size_t dots = text.find("..");
  const size_t slash = text.find('/');
  return {.from = bytes_of(text.substr(0, dots)),
          .to = bytes_of(text.substr(dots + 2, slash - dots - 2)),
          .span = time_of(text.substr(slash + 1))};
}

template <class Take>
void take(const Words& words, const std::string& key, Take set) {
  if (const auto found = words.find(key); found != words.end()) {
    set(found->second);
  }
}

void add_role(Evidence& evidence, const std::string& name, const Words& words) {
  RoleEvidence role;
  role.name = name;
  role.membership =
      words.at("membership") == "static" ? spec::Membership::Static : spec::Membership::Independent;
  take(words, "memory", [&](const std::string& text) {
    role.requested.memory_bytes = static_cast<uint64_t>(bytes_of(text));
  });
  take(words, "vcores", [&](const std::string& text) {
    role.requested.vcores = static_cast<uint32_t>(number(text));
  });
  take(words, "gpus",
       [&](const std::string& text) { role.requested.gpus = static_cast<uint32_t>(number(text)); });
  evidence.roles.push_back(std::move(role));
}

void add_growths(const Words& words, Growths& growths) {
  const auto grow = [&](const std::string& key, std::optional<Growth>& growth) {
    take(words, key, [&](const std::string& text) { growth = growth_of(text); });
  };
  grow("memory_growth", growths.memory_bytes);
  grow("files_growth", growths.open_files);
  grow("threads_growth", growths.threads);
  grow("processes_growth", growths.processes);
  grow("step_growth", growths.step_s);
  grow("disk_growth", growths.disk_bytes);
}

/// Adds what concerns disks and the network, mostly in bytes per second.
void add_traffic(const Words& words, TaskEvidence& task) {
  const auto bytes = [&](const std::string& key, std::optional<double>& value) {
    take(words, key, [&](const std::string& text) { value = bytes_of(text); });
  };
  bytes("read", task.disk.read_per_s);
  bytes("written", task.disk.written_per_s);
  take(words, "faults",
       [&](const std::string& text) { task.disk.faults_major_per_s = number(text); });
  bytes("host_written", task.host_use.written_per_s);
  bytes("host_received", task.host_use.received_per_s);
  bytes("host_sent", task.host_use.sent_per_s);
  bytes("host_network", task.host_use.network_per_s);
  bytes("host_swapped_in", task.host_use.swapped_in_per_s);
  take(words, "left", [&](const std::string& text) {
    task.disk.left_bytes = static_cast<uint64_t>(bytes_of(text));
  });
  take(words, "host", [&](const std::string& text) { task.host = job::HostName(text); });
  take(words, "whole", [&](const std::string& text) { task.whole = text == "yes"; });
}

void add_task(RoleEvidence& role, const Words& words) {
  TaskEvidence task;
  task.name = role.name + ":" + std::to_string(role.members.size());
  task.host = job::HostName("h" + std::to_string(role.members.size()));
  task.whole = true;
  const auto real = [&](const std::string& key, std::optional<double>& value) {
    take(words, key, [&](const std::string& text) { value = number(text); });
  };
  real("cores", task.cores.mean);
  real("wanted", task.cores.wanted);
  real("peak", task.cores.peak);
  real("gpu", task.gpu.mean);
  const auto bytes = [&](const std::string& key, std::optional<uint64_t>& value) {
    take(words, key,
         [&](const std::string& text) { value = static_cast<uint64_t>(bytes_of(text)); });
  };
  bytes("gpu_first", task.gpu.memory_first_bytes);
  bytes("gpu_memory", task.gpu.memory_peak_bytes);
  real("waiting", task.waiting);
  real("disk_waiting", task.disk.waiting);
  real("throttled", task.hindrances.throttled);
  real("memory_waiting", task.hindrances.memory_waiting);
  real("over_high", task.hindrances.over_high_per_s);
  real("nice", task.hindrances.nice);
  real("collector", task.hindrances.collector_cores);
  real("sleeping", task.waits.sleeping);
  real("socket", task.waits.socket);
  real("names", task.waits.name_server);
  real("children", task.waits.children);
  real("python_lock", task.waits.python_lock);
  take(words, "ran", [&](const std::string& text) { task.ran = time_of(text); });
  take(words, "step", [&](const std::string& text) { task.step = time_of(text); });
  take(words, "memory", [&](const std::string& text) {
    task.memory_peak_bytes = static_cast<uint64_t>(bytes_of(text));
  });
  add_growths(words, task.growths);
  add_traffic(words, task);
  role.granted += task.ran;
  role.tasks = role.tasks_min = static_cast<uint32_t>(role.members.size() + 1);
  role.first_grants.push_back(Time(std::chrono::seconds(2)));
  role.members.push_back(std::move(task));
}

void add_failure(Evidence& evidence, const Words& words) {
  evidence.failures.push_back(
      {.at = Time(time_of(words.at("at"))),
       .ran = time_of(words.at("ran")),
       .attempt = {{job::RoleIndex(0), 0}, static_cast<uint32_t>(number(words.at("number")))},
       .host = job::HostName("h0"),
       .class_name = "program.exit",
       .origin = true});
}

void add_job(Evidence& evidence, const Words& words) {
  take(words, "ran", [&](const std::string& text) { evidence.ran = time_of(text); });
  take(words, "granted",
       [&](const std::string& text) { evidence.account.granted = time_of(text); });
  take(words, "repeated", [&](const std::string& text) {
    evidence.account.classes[index_of(Class::Repeated)] = time_of(text);
  });
  take(words, "cost", [&](const std::string& text) { evidence.checkpoint_cost = time_of(text); });
  take(words, "every", [&](const std::string& text) { evidence.checkpoint_every = time_of(text); });
}

void take_line(const std::string& line, std::vector<Profile>& profiles) {
  std::istringstream stream(line);
  std::string kind;
  stream >> kind;
  if (kind == "profile") {
    profiles.push_back({.name = line.substr(8), .evidence = {}, .expected = {}});
    return;
  }
  std::string name;
  if (kind == "role" || kind == "expect") {
    stream >> name;
  }
  Words words;
  for (std::string word; stream >> word;) {
    words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  Evidence& evidence = profiles.back().evidence;
  if (kind == "role") {
    add_role(evidence, name, words);
  } else if (kind == "task") {
    const int times = words.contains("times") ? static_cast<int>(number(words["times"])) : 1;
    for (int i = 0; i < times; ++i) {
      add_task(evidence.roles.back(), words);
    }
  } else if (kind == "failure") {
    add_failure(evidence, words);
  } else if (kind == "commit") {
    evidence.commits.push_back({.at = Time(time_of(words.at("at"))), .attempt = {}});
  } else if (kind == "job") {
    add_job(evidence, words);
  } else if (kind == "expect") {
    std::map<std::string, double>& numbers = profiles.back().expected[name];
    for (const auto& [key, text] : words) {
      numbers[key] = number(text);
    }
  } else {
    ADD_FAILURE() << line;
  }
}

std::vector<Profile> read_profiles() {
  std::ifstream file(std::filesystem::path(MUSTER_SOURCE_DIR) / "test/advice/profiles.txt");
  std::vector<Profile> profiles;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') {
      take_line(line, profiles);
    }
  }
  return profiles;
}

TEST(Profiles, GetTheAdviceThatIsRightAndNoOther) {
  const std::vector<Profile> profiles = read_profiles();
  EXPECT_GE(profiles.size(), 20U);
  for (const Profile& profile : profiles) {
    SCOPED_TRACE(profile.name);
    std::set<std::string> rules;
    for (const Advice& advice : advise(profile.evidence)) {
      rules.insert(advice.rule);
      const auto expected = profile.expected.find(advice.rule);
      if (expected == profile.expected.end()) {
        ADD_FAILURE() << advice.rule << ": " << advice.evidence;
        continue;
      }
      for (const auto& [key, truth] : expected->second) {
        ASSERT_TRUE(advice.numbers.contains(key)) << advice.rule << " " << key;
        EXPECT_NEAR(advice.numbers.at(key), truth, truth / 10) << advice.rule << " " << key;
      }
    }
    for (const auto& [rule, numbers] : profile.expected) {
      EXPECT_TRUE(rules.contains(rule)) << rule << " is silent";
    }
  }
}

}  // namespace
}  // namespace muster::account
