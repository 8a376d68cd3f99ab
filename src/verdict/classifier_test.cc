#include "verdict/classifier.h"

#include "base/text.h"
#include "verdict/corpus_test.h"
#include "verdict/failure_class.h"
#include "verdict/reports_test.h"
#include "verdict/rule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <vector>

namespace muster::verdict {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Classifier classifier(std::vector<spec::Rule> rules = {}, PythonContext python = {}) {
  auto made = Classifier::make(rules, std::move(python));
  EXPECT_TRUE(made.has_value());
  return std::move(made).value();
}

job::Exit with_code(int32_t code) {
  job::Exit exit;
  exit.exit_code = code;
  return exit;
}

job::Exit with_signal(int32_t number) {
  job::Exit exit;
  exit.signal = number;
  return exit;
}

job::Failure classify(job::Exit exit, std::string_view stderr_tail = {}) {
  return classifier().classify({.exit = std::move(exit), .stderr_tail = stderr_tail});
}

class Corpus : public ::testing::TestWithParam<Sample> {};

TEST_P(Corpus, HasItsLabel) {
  const Sample& sample = GetParam();
  const job::Failure failure = classify(sample.exit, sample.output);
  EXPECT_EQ(failure.class_name, sample.label) << failure.evidence;
}

// It must not matter which stream a program uses for its last words.
TEST_P(Corpus, HasItsLabelOnStdoutToo) {
  const Sample& sample = GetParam();
  const job::Failure failure =
      classifier().classify({.exit = sample.exit, .stdout_tail = sample.output});
  EXPECT_EQ(failure.class_name, sample.label);
}

TEST_P(Corpus, HasEvidenceFitToShow) {
  const Sample& sample = GetParam();
  const job::Failure failure = classify(sample.exit, sample.output);
  EXPECT_LE(failure.evidence.size(), 4096U);
  EXPECT_EQ(failure.evidence.empty(), trim(sample.output).empty());
  for (const std::string_view line : split(failure.evidence, '\n')) {
    EXPECT_EQ(printable(line), line);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, ::testing::ValuesIn(read_corpus()), [](const auto& about) {
  std::string name = about.param.name;
  std::ranges::replace_if(
      name, [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Classifier, HasASampleForEveryClassThatItCanGive) {
  std::set<std::string> labels;
  for (const Sample& sample : read_corpus()) {
    labels.insert(sample.label);
  }
  for (const Report& report : read_reports()) {
    labels.insert(report.labels.begin(), report.labels.end());
  }
  const RuleTable table = built_in_rules();
  for (const auto rules : {table.telling, table.general}) {
    for (const Rule& rule : rules) {
      EXPECT_TRUE(labels.contains(std::string(rule.class_name)))
          << rule.class_name << " has no sample";
    }
  }
}

TEST(Rules, NameKnownClassesAndAreManyEnough) {
  const RuleTable table = built_in_rules();
  for (const auto rules : {table.certain, table.telling, table.general}) {
    for (const Rule& rule : rules) {
      EXPECT_TRUE(std::ranges::count(failure_classes(), rule.class_name, &FailureClass::name) == 1)
          << rule.class_name;
      EXPECT_EQ(rule.where == Where::Nowhere, rule.pattern.empty());
    }
  }
  EXPECT_GE(table.certain.size() + table.telling.size() + table.general.size(), 40U);
  EXPECT_EQ(table.general.back().ending, Ending::Any);
}

// Lines that no sample holds, with the class they must get after exit code 1.
struct Line {
  std::string_view label;
  std::string_view text;
};
constexpr Line kLines[] = {
    {"user.library", "RuntimeError: module compiled against API version 0x10 but this is 0xf"},
    {"memory.shm", "RuntimeError: unable to write to file </torch_4242_1_0>"},
    {"memory.shm", "RuntimeError: unable to mmap 4096 bytes from file /dev/shm/psm_1"},
    {"user.assertion", "train: loader.c:7: read: Assertion `n == 7' failed."},
    {"checkpoint.corrupt", "OSError: Unable to open file (file signature not found)"},
    {"rendezvous.timeout",
     "RuntimeError: wait timeout after 1800000ms, keys: /default_pg/0//0//worker_key"},
    {"peer.lost", "grpc.RpcError: StatusCode.UNAVAILABLE: keepalive watchdog timeout"},
    {"network.download", "Exception: URL fetch failure on https://example.org/mnist.npz: None"},
    {"user.traceback", "ZeroDivisionError: division by zero"},
    {"user.missing_file", "urllib.error.HTTPError: HTTP Error 404: Not Found"},
    {"user.import",
     "importlib.metadata.PackageNotFoundError: No package metadata was found for transformers"},
    {"user.library",
     "pkg_resources.VersionConflict: (numpy 1.26 (/env), Requirement('numpy<1.20'))"},
    {"memory.limit",
     "Lost executor 9 on h1: Container killed by YARN for exceeding physical memory limits."},
    {"program.child_lost", "ray.exceptions.OwnerDiedError: Failed to retrieve object 00ff"},
};

class Lines : public ::testing::TestWithParam<Line> {};

TEST_P(Lines, HaveTheirLabel) {
  EXPECT_EQ(classify(with_code(1), GetParam().text).class_name, GetParam().label);
}

INSTANTIATE_TEST_SUITE_P(Lines, Lines, ::testing::ValuesIn(kLines));

TEST(Rules, EachPatternHasASampleOrALine) {
  const std::vector<Sample> corpus = read_corpus();
  std::vector<Report> seen = read_reports();
  std::erase_if(seen, [](const Report& report) { return is_unseen(report.source); });
  for (const Rule& rule : built_in_rules().telling) {
    if (rule.pattern.empty()) {
      continue;
    }
    const RE2 pattern(std::string{rule.pattern});
    const auto found = [&](std::string_view label, std::string_view text) {
      return label == rule.class_name && RE2::PartialMatch(std::string(text), pattern);
    };
    EXPECT_TRUE(
        std::ranges::any_of(corpus,
                            [&](const Sample& one) { return found(one.label, one.output); }) ||
        std::ranges::any_of(seen,
                            [&](const Report& one) {
                              return std::ranges::any_of(one.labels, [&](const std::string& label) {
                                return found(label, one.output);
                              });
                            }) ||
        std::ranges::any_of(kLines, [&](const Line& one) { return found(one.label, one.text); }))
        << rule.class_name << ": " << rule.pattern;
  }
}

TEST(Classifier, TellsWhatTheClusterSays) {
  const auto of = [](std::string_view code) {
    return classifier().classify({.exit = with_signal(SIGKILL), .cluster_code = code}).class_name;
  };
  EXPECT_EQ(of("-100"), "host.lost");
  EXPECT_EQ(of("-101"), "host.disk");
  EXPECT_EQ(of("-102"), "container.preempted");
  EXPECT_EQ(of("-103"), "memory.limit");
  EXPECT_EQ(of("-104"), "memory.limit");
  EXPECT_EQ(of("-105"), "container.killed");
  EXPECT_EQ(of("-106"), "container.killed");
  EXPECT_EQ(of("-107"), "container.killed");
  EXPECT_EQ(of("-1"), "program.killed");
}

TEST(Classifier, JudgesAContainerByTheClustersCode) {
  const auto disk = classifier().judge_container("-101", "the node's disks are bad: 4/4 are full");
  ASSERT_TRUE(disk.has_value());
  EXPECT_EQ(disk->class_name, "host.disk");
  EXPECT_EQ(disk->remedy, job::Remedy::Elsewhere);
  EXPECT_EQ(disk->evidence, "the node's disks are bad: 4/4 are full");
  EXPECT_EQ(classifier().judge_container("-104", "")->class_name, "memory.limit");
  EXPECT_FALSE(classifier().judge_container("137", "out of memory: killed process").has_value())
      << "what the program's own words mean is no rule for a container";
  EXPECT_FALSE(classifier().judge_container("", "").has_value());
}

TEST(Classifier, JudgesAContainerWhoseAgentGotNoMemory) {
  const auto none = classifier().judge_container(
      "70",
      "info attempt.started\nmuster agent: cannot allocate memory for its stack; `ulimit -v`");
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->class_name, "memory.allocation");
}

TEST(Classifier, JudgesAContainerByTheUsersRulesFirst) {
  spec::Rule rule;
  rule.match.cluster_code = "-104";
  rule.failure_class = "memory.spike";
  rule.retry = spec::Retry::Yes;
  spec::Rule words;
  words.match.pattern = "decommissioned";
  words.failure_class = "container.moved";
  spec::Rule program;
  program.match.exit_code = 0;
  program.failure_class = "user.own";
  Classifier subject = classifier({rule, words, program});
  const auto spike = subject.judge_container("-104", "");
  ASSERT_TRUE(spike.has_value());
  EXPECT_EQ(spike->class_name, "memory.spike");
  EXPECT_EQ(spike->remedy, job::Remedy::Restart);
  EXPECT_EQ(subject.judge_container("-105", "node decommissioned")->class_name, "container.moved");
  EXPECT_FALSE(subject.judge_container("0", "").has_value()) << "a container has no exit_code";
}

TEST(Classifier, TriesTheUsersRulesFirstForMemoryToo) {
  spec::Rule rule;
  rule.match.signal = SIGKILL;
  rule.failure_class = "memory.spike";
  job::Exit exit = with_signal(SIGKILL);
  exit.over_memory = true;
  EXPECT_EQ(classifier({rule}).judge_by_user({.exit = exit})->class_name, "memory.spike");
  EXPECT_FALSE(classifier().judge_by_user({.exit = exit}).has_value());
}

TEST(Classifier, PutsTheMemoryMarkBeforeTheSignal) {
  job::Exit exit = with_signal(SIGKILL);
  exit.over_memory = true;
  EXPECT_EQ(classify(exit).class_name, "memory.limit");
}

TEST(Classifier, NeverCallsWhatMusterStoppedACause) {
  const job::Failure failure = classifier().classify(
      {.exit = with_signal(SIGTERM), .stopped = true, .stderr_tail = "Connection reset by peer\n"});
  EXPECT_EQ(failure.class_name, "stopped");
  EXPECT_EQ(failure.kind, job::FailureKind::Stopped);
}

TEST(Classifier, TriesTheUsersRulesFirst) {
  spec::Rule rule;
  rule.match.exit_code = 42;
  rule.failure_class = "user.data";
  rule.retry = spec::Retry::No;
  Classifier subject = classifier({rule});
  const job::Failure own = subject.classify(
      {.exit = with_code(42), .stderr_tail = "ModuleNotFoundError: No module named 'x'\n"});
  EXPECT_EQ(own.class_name, "user.data");
  EXPECT_EQ(own.kind, job::FailureKind::User);
  EXPECT_EQ(own.remedy, job::Remedy::GiveUp);
  EXPECT_EQ(subject.classify({.exit = with_code(41)}).class_name, "user.exit");
}

TEST(Classifier, NeedsEveryPartOfAUsersRule) {
  spec::Rule rule;
  rule.match = {.exit_code = 1, .signal = {}, .cluster_code = {}, .pattern = "license .* expired"};
  rule.failure_class = "licence";
  rule.retry = spec::Retry::Elsewhere;
  Classifier subject = classifier({rule});
  const std::string_view said = "starting\nlicense server: expired\nbye\n";
  const job::Failure own = subject.classify({.exit = with_code(1), .stdout_tail = said});
  EXPECT_EQ(own.class_name, "licence");
  EXPECT_EQ(own.remedy, job::Remedy::Elsewhere);
  EXPECT_THAT(own.evidence, StartsWith("license server: expired"));
  EXPECT_EQ(subject.classify({.exit = with_code(2), .stdout_tail = said}).class_name,
            "user.credentials");
}

TEST(Classifier, RefusesAPatternThatIsNone) {
  spec::Rule rule;
  rule.match.pattern = "loss (";
  rule.failure_class = "user.loss";
  const auto made = Classifier::make(std::vector{rule});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message,
            "rules: the pattern of class user.loss is not an RE2 expression: missing ): loss (");
}

TEST(Classifier, NamesTheInterpreterThatLacksTheFramework) {
  Classifier subject =
      classifier({}, {.module = "tensorflow", .client_python = "/opt/ada/venv/bin/python3"});
  const auto of = [&](std::string_view module, std::string_view python = "") -> std::string {
    return subject
        .classify({.exit = with_code(1),
                   .stderr_tail =
                       fmt::format("Traceback (most recent call last):\n  File \"t.py\", line 1\n"
                                   "ModuleNotFoundError: No module named '{}'\n",
                                   module),
                   .python = python})
        .hint;
  };
  EXPECT_THAT(
      of("tensorflow"),
      StartsWith("python3 of the task has no tensorflow; yours is /opt/ada/venv/bin/python3"));
  EXPECT_THAT(of("tensorflow.keras"), HasSubstr("has no tensorflow; yours is"));
  EXPECT_THAT(of("numpyy"), StartsWith("the task's Python cannot import numpyy"));
  EXPECT_EQ(of("tensorflow", "/usr/bin/python3"),
            "python3 of the task (/usr/bin/python3) has no tensorflow; yours is "
            "/opt/ada/venv/bin/python3: activate that environment before `muster run`, or ship it "
            "with `python: {env: ...}`");
  EXPECT_THAT(of("tensorflow", "/opt/ada/venv/bin/python3"),
              StartsWith("python3 of the task (/opt/ada/venv/bin/python3) has no tensorflow: "));
  subject = classifier({}, {.module = "tensorflow", .client_python = ""});
  EXPECT_THAT(of("tensorflow"), StartsWith("python3 of the task has no tensorflow: install it"));
}

TEST(Classifier, IgnoresAnErrorThatWasSurvived) {
  std::string output =
      "Traceback (most recent call last):\n  File \"t.py\", line 1\nKeyError: 'x'\n";
  for (int step = 0; step < 100; ++step) {
    output += "step " + std::to_string(step) + "\n";
  }
  EXPECT_EQ(classify(with_code(7), output).class_name, "user.exit");
}

TEST(Classifier, ReadsTracebacksBehindALaunchersPrefix) {
  const job::Failure failure =
      classify(with_code(1),
               "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"t.py\", line 1\n"
               "[rank0]:     import x\n[rank0]: ModuleNotFoundError: No module named 'x'\n");
  EXPECT_EQ(failure.class_name, "user.import");
  EXPECT_THAT(failure.evidence, StartsWith("ModuleNotFoundError: No module named 'x'\n"));
}

TEST(Classifier, LooksBehindALaunchersOwnError) {
  const job::Failure failure = classify(
      with_code(1),
      "Traceback (most recent call last):\n  File \"t.py\", line 1\nModuleNotFoundError: No module "
      "named 'x'\n"
      "Traceback (most recent call last):\n  File \"run.py\", line 9\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \nt.py FAILED\n");
  EXPECT_EQ(failure.class_name, "user.import");
}

TEST(Evidence, ShowsWhatTheMessageSaysLast) {
  // From PyTorch 2.11 and NCCL 2.28 on a host with one GPU, and from Triton 3.6.
  const std::string frames =
      "Traceback (most recent call last):\n"
      "  File \"/job/nccl.py\", line 3, in <module>\n"
      "    dist.all_reduce(x)\n"
      "  File \"/v/site-packages/torch/distributed/c10d_logger.py\", line 83, in wrapper\n"
      "    return func(*args, **kwargs)\n"
      "  File \"/v/site-packages/torch/distributed/distributed_c10d.py\", line 3068, in f\n"
      "    work = group.allreduce([tensor], opts)\n";
  const job::Failure nccl =
      classify(with_code(1),
               frames +
                   "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:93, invalid "
                   "usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.28.9\n"
                   "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
                   "Last error:\n"
                   "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 60\n");
  EXPECT_EQ(nccl.class_name, "collective.usage");
  EXPECT_THAT(nccl.evidence, HasSubstr("\nDuplicate GPU detected : rank 1 and rank 0"));
  EXPECT_LE(std::ranges::count(nccl.evidence, '\n'), 8) << "a summary shows nine lines";
  EXPECT_THAT(nccl.evidence, HasSubstr("File \"/job/nccl.py\", line 3"));
  const job::Failure triton =
      classify(with_code(1), frames +
                                 "triton.compiler.errors.CompilationError: at 2:17:\n"
                                 "def k(p, N: tl.constexpr):\n"
                                 "    tl.store(p + tl.arange(0, N), 1.0)\n"
                                 "                 ^\n"
                                 "arange's range must be a power of 2\n");
  EXPECT_THAT(triton.evidence, HasSubstr("\narange's range must be a power of 2"));
}

TEST(Evidence, StartsWithTheTellingLineAndShowsTheInnermostFrames) {
  const job::Failure failure =
      classify(with_code(1),
               "Traceback (most recent call last):\n"
               "  File \"a.py\", line 1, in <module>\n    main()\n"
               "  File \"a.py\", line 2, in main\n    run()\n    ^^^^^\n"
               "  File \"a.py\", line 3, in run\n    go()\n"
               "  File \"a.py\", line 4, in go\n    {}['x']\nKeyError: 'x'\n");
  EXPECT_EQ(
      failure.evidence,
      "KeyError: 'x'\n  File \"a.py\", line 2, in main\n    run()\n"
      "  File \"a.py\", line 3, in run\n    go()\n  File \"a.py\", line 4, in go\n    {}['x']");
}

TEST(Evidence, HasNoEscapesNoBinaryAndNoProgressBars) {
  std::string garbage(3000, '\x01');
  const job::Failure failure = classify(
      with_code(3), "10%\r50%\r100% done\n\x1b[31mred\x1b[0m\x1b]0;title\a line\n" + garbage);
  EXPECT_EQ(failure.evidence, "(3000 bytes that are not text)\n100% done\nred line");
}

TEST(Evidence, StaysWithinItsBoundWhateverIsSaid) {
  for (const std::string& unit : {std::string("x"), std::string("\xC3\xBC"), std::string("a\n")}) {
    std::string output;
    while (output.size() < (1U << 20)) {
      output += unit;
    }
    const job::Failure failure = classify(with_code(1), output);
    EXPECT_LE(failure.evidence.size(), 4096U);
    EXPECT_FALSE(failure.evidence.empty());
  }
}

// Goal: no output can make the rules slow. Method: texts that break backtracking matchers, at full
// length; the bound is generous because the machine may be busy.
TEST(Classifier, TakesBoundedTimeOnHostileOutput) {
  Classifier subject = classifier();
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& unit :
       {std::string("Traceback (most recent call last):\n"),
        std::string("No space left on device "), std::string("unable to write to "),
        std::string("a a a a aaaa nan"), std::string("\x1b[[[["), std::string("Assertion "),
        std::string("During handling of the above exception\n")}) {
    std::string output;
    while (output.size() < (4U << 20)) {
      output += unit;
    }
    const job::Failure failure =
        subject.classify({.exit = with_code(1), .stdout_tail = output, .stderr_tail = output});
    EXPECT_FALSE(failure.class_name.empty());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(FindClass, GivesUnknownNamesTheirFamilysRemedy) {
  EXPECT_EQ(find_class("user.my_data").remedy, job::Remedy::GiveUp);
  EXPECT_EQ(find_class("peer.elastic").kind, job::FailureKind::PeerLoss);
  EXPECT_EQ(find_class("licence").kind, job::FailureKind::Program);
  EXPECT_EQ(find_class("licence").remedy, job::Remedy::Restart);
}

TEST(FailureOf, NamesAnEndThatNoAgentSaw) {
  const job::Failure failure = failure_of("host.lost", "node7 went away");
  EXPECT_EQ(failure.kind, job::FailureKind::Infrastructure);
  EXPECT_EQ(failure.evidence, "node7 went away");
}

}  // namespace
}  // namespace muster::verdict
