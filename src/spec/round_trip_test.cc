// Goal: no valid spec loses anything on its way through the canonical text, or through the file
// that `plan --yaml` shows. Method: specs made from a seed, each field set now and then.

#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace muster::spec {
namespace {

using std::chrono::seconds;

constexpr std::array kFrameworks = {Framework::Generic, Framework::Tensorflow, Framework::Pytorch,
                                    Framework::Jax, Framework::Standalone};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  Spec spec() {
    Spec spec;
    spec.name = "job-" + std::to_string(number(0, 99));
    spec.framework = kFrameworks[number(0, kFrameworks.size() - 1)];
    spec.command = text();
    spec.files = files();
    spec.python = maybe([&] { return python(); });
    spec.env = environment();
    const char* const names[] = {"chief", "worker", "ps", "data-prep"};
    const uint64_t count = number(1, 4);
    for (uint64_t i = 0; i < count; ++i) {
      spec.roles.push_back(role(names[i], spec.roles));
    }
    spec.roles[0].success.reset();
    spec.roles[0].chief = coin();
    spec.barrier = maybe([&] { return static_cast<Barrier>(number(0, 1)); });
    spec.restart = restart();
    for (Role& each : spec.roles) {
      if (each.restart) {  // A file cannot take back what the top level says.
        each.restart->container =
            each.restart->container ? each.restart->container : spec.restart.container;
        each.restart->host = each.restart->host ? each.restart->host : spec.restart.host;
      }
    }
    spec.rules = list([&] { return rule(); });
    spec.deadlines = {.queue = maybe([&] { return duration(); }),
                      .gather = maybe([&] { return duration(); }),
                      .join = maybe([&] { return duration(); }),
                      .run = maybe([&] { return duration(); }),
                      .stop = duration()};
    spec.liveness.orphan = maybe([&] { return duration(); });
    spec.stop_on_first_failure = coin();
    spec.chief_failure_fails_job = coin();
    spec.checkpoint = {.dir = coin() ? "ckpt" : "a b/c",
                       .to = coin() ? "" : text(),
                       .by = static_cast<CheckpointBy>(number(0, 1)),
                       .keep = small(),
                       .resume = static_cast<Resume>(number(0, 2))};
    spec.tensorboard = maybe([&] { return Tensorboard{.logdir = text()}; });
    if (coin()) {
      spec.endpoints["board-1"] = {
          .role = spec.roles.front().name, .port = "8265", .path = coin() ? "/" : "/lab?a=b"};
    }
    spec.master = {.memory = number(32, 9999) << 20, .vcores = small(), .attempts = small()};
    spec.logs = {.max = number(1 << 20, 1LL << 50), .keep = small(), .merged = coin()};
    spec.recording = {.terminals = coin(), .max = number(1 << 20, 1LL << 50)};
    spec.network.interface = coin() ? "" : "eth0";
    spec.network.port_range = maybe([&] {
      return PortRange{.low = 20000, .high = static_cast<uint16_t>(number(20000, 65535))};
    });
    spec.yarn.tags = list([&] { return text(); });
    spec.yarn.priority = static_cast<int32_t>(number(0, 20)) - 10;
    spec.yarn.acl_view = list([&] { return text(); });
    spec.local = {.hosts = small(), .strict_vcores = coin()};
    return spec;
  }

 private:
  uint64_t number(uint64_t low, uint64_t high) { return low + random_() % (high - low + 1); }
  uint32_t small() { return static_cast<uint32_t>(number(1, 9)); }
  bool coin() { return number(0, 1) == 1; }
  Duration duration() { return Duration(static_cast<int64_t>(number(1'000'000, 1ULL << 42))); }

  template <class Make>
  auto maybe(Make make) -> std::optional<decltype(make())> {
    return coin() ? std::optional(make()) : std::nullopt;
  }
  template <class Make>
  auto list(Make make) -> std::vector<decltype(make())> {
    std::vector<decltype(make())> all;
    for (uint64_t count = number(0, 3); count > 0; --count) {
      all.push_back(make());
    }
    return all;
  }

  /// Returns a text that is hard on readers: quotes, colons, numbers, words that mean something in
  /// YAML, other alphabets.
  std::string text() {
    const char* const pieces[] = {"a",
                                  "yes",
                                  "null",
                                  "~",
                                  "1",
                                  "0x10",
                                  "1e3",
                                  ": ",
                                  " #",
                                  "'",
                                  "\"",
                                  "\\",
                                  "{",
                                  "]",
                                  ",",
                                  "&a",
                                  "*a",
                                  "!x",
                                  "%",
                                  "@",
                                  "`",
                                  "- ",
                                  "?",
                                  "|",
                                  ">",
                                  "\t",
                                  "gr\xC3\xBC\xC3\x9F",
                                  "=",
                                  "$HOME",
                                  "<<",
                                  "2g",
                                  "\xF0\x9F\x98\x80",
                                  "\x01",
                                  "\x7f",
                                  "..",
                                  " "};
    std::string made = coin() ? "x" : "true";
    for (uint64_t count = number(0, 4); count > 0; --count) {
      made += pieces[number(0, std::size(pieces) - 1)];
    }
    return made;
  }

  std::vector<File> files() {
    std::vector<File> all;
    for (uint64_t i = number(0, 3); i > 0; --i) {
      all.push_back({.src = text(),
                     .as = "f" + std::to_string(i),
                     .unpack = static_cast<Unpack>(number(0, 2))});
    }
    if (coin()) {
      all.push_back({.src = "dir/plain.py"});
    }
    return all;
  }

  Python python() { return {.env = text(), .interpreter = coin() ? "" : text()}; }

  Environment environment() {
    Environment all;
    for (uint64_t i = number(0, 3); i > 0; --i) {
      const bool empty = number(0, 5) == 0;
      all["V" + std::to_string(i)] = {
          .source = static_cast<EnvValue::Source>(empty ? 0 : number(0, 2)),
          .text = empty ? "" : text()};
    }
    return all;
  }

  Restart restart() {
    return {.process = small(),
            .container = maybe([&] { return small(); }),
            .host = maybe([&] { return small(); }),
            .job = static_cast<uint32_t>(number(0, 3)),
            .window = maybe([&] { return duration(); }),
            .backoff = {.low = seconds(number(0, 9)), .high = duration() + seconds(9)}};
  }

  Rule rule() {
    Rule rule{.failure_class = "user.data",
              .retry = maybe([&] { return static_cast<Retry>(number(0, 2)); })};
    rule.match.exit_code = static_cast<int32_t>(number(1, 255));
    rule.match.signal = maybe([&] { return static_cast<int32_t>(number(1, 64)); });
    rule.match.pattern = maybe([&] { return text(); });
    rule.match.cluster_code = maybe([&] { return std::string("-104"); });
    return rule;
  }

  Role role(const std::string& name, const std::vector<Role>& earlier) {
    Role role{.name = name, .tasks = small(), .tasks_per_container = small()};
    role.memory = maybe([&] { return number(1 << 20, 1ULL << 40); });
    role.vcores = maybe([&] { return small(); });
    role.gpus = maybe([&] { return static_cast<uint32_t>(number(0, 8)); });
    if (coin()) {
      role.resources["yarn.io/fpga"] = number(0, 9);
    }
    role.node_label = coin() ? "" : text();
    role.constraint = coin() ? "" : text();
    role.allocation_tags = list([&] { return text(); });
    role.docker = maybe([&] {
      return Docker{.image = coin() ? "tf:2" : "Hub.example:5000/ml/tf@sha256:0123456789ab",
                    .mounts = {{.source = "/a", .target = "/b c", .read_only = coin()}}};
    });
    role.success = maybe([&] { return static_cast<Success>(number(0, 2)); });
    role.failure = coin() ? std::optional(Failure::Ignored) : std::nullopt;
    if (coin()) {
      role.max = role.tasks;
      role.min = 1;
      role.membership = maybe([&] { return Membership::Elastic; });
    }
    for (const Role& other : earlier) {
      if (coin()) {
        role.after.push_back(
            {.role = other.name, .condition = static_cast<Condition>(number(0, 2))});
        role.deadline_after = DeadlineAfter{.roles = {other.name},
                                            .in = duration(),
                                            .then = static_cast<DeadlineAction>(number(0, 1))};
      }
    }
    role.ports = coin() ? std::vector<std::string>{"http", "rpc"} : std::vector<std::string>{};
    role.command = maybe([&] { return text(); });
    role.env = environment();
    role.files = maybe([&] { return files(); });
    role.python = maybe([&] { return python(); });
    role.restart = maybe([&] { return restart(); });
    return role;
  }

  std::mt19937_64 random_;
};

TEST(RoundTrip, ThroughTheCanonicalText) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Spec spec = Maker(seed).spec();
    const std::string text = to_json(spec);
    const auto again = parse_json(text);
    ASSERT_TRUE(again.has_value()) << seed << ": " << again.error().message << "\n" << text;
    ASSERT_EQ(*again, spec) << seed << ": " << text;
    ASSERT_EQ(to_json(*again), text) << seed;
  }
}

TEST(RoundTrip, ThroughAFile) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Spec spec = Maker(seed).spec();
    const std::string text = to_yaml(spec);
    const auto again = load({.spec = TextInput{"job.yaml", text}});
    ASSERT_TRUE(again.has_value()) << seed << ": " << again.error().message << "\n" << text;
    ASSERT_EQ(to_json(again->spec), to_json(spec)) << seed << ": " << text;
  }
}

TEST(ParseJson, RefusesWhatIsDamaged) {
  const std::string text = to_json(Maker(1).spec());
  for (const std::string& damaged :
       {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2),
        std::string(R"({"schema":"muster.spec/2"})"), std::string(R"({"schema":"muster.spec/1"})"),
        std::string(100000, '[')}) {
    const auto spec = parse_json(damaged);
    ASSERT_FALSE(spec.has_value());
    EXPECT_EQ(spec.error().code, Errc::Corrupt);
  }
}

}  // namespace
}  // namespace muster::spec
