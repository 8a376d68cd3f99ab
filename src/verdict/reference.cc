#include "verdict/reference.h"

#include "verdict/failure_class.h"
#include "verdict/rule.h"
#include "verdict/signal_name.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::verdict {
namespace {

constexpr std::string_view kIntroduction = R"(# Failure classes

<!-- Generated from the tables in src/verdict; its test says how to regenerate it. -->

Every attempt of a task that does not succeed gets a class. The class says whose fault it is
(*kind*) and what Muster does (*decision*). `muster run`, `muster status --json`, the log and the
job's page show it together with the evidence.

| kind | meaning |
|---|---|
| user | the program or its input is certainly wrong; handled at once |
| program | the program ended, and the reason is not certain |
| peer_loss | the task says that another one went away: a victim, unless no origin is found |
| resource | memory, disk, files, ports: the place or a limit, not the code |
| infrastructure | the container, host or cluster; counts against `restart.infrastructure` |
| stopped | Muster ended it; never a cause |

Decisions are carried out within the budgets of `restart`: *restart* starts in the same container
and climbs the ladder from there; *new ports* does the same with newly reserved ports; *elsewhere*
starts on another host; *not retried* applies the role's failure policy at once.

Your own rules come before the built-in ones, and may define new classes:

```yaml
rules:
  - {match: {exit_code: 42}, class: user.data, retry: no}
  - {match: {pattern: "license .* expired"}, class: licence, retry: elsewhere}
```

`match` takes `exit_code`, `signal`, `cluster_code` and `pattern` (RE2, searched for in the last 32
KiB of each stream); all that are given must match. `cluster_code` is the cluster's own exit status
of a container: YARN's (`"-104"`), the one in Spark's reason for a lost executor, or on this machine
that of the container's first process (`"137"` where SIGKILL ended it). A task whose container ends
first has neither `exit_code` nor `signal`, and `pattern` is searched for in what the cluster says
about it. Without `retry`, the first part of the class decides: `user.` is not retried, `peer.` is a
victim, `disk.` is retried elsewhere, ...

)";

constexpr std::string_view kFallback =
    R"(Before *how it ended* is considered, an error without a rule is judged by its form. The first
of these that applies decides:

1. an error number, its name or its text: `[Errno 13]`, `EACCES`, `os error 13`, `Text file busy`
2. what a launcher says about the program that it started: `exit status (137)`, `return code = -11`
3. a code of gRPC or XLA (`UNAVAILABLE: `), or an HTTP server's response (`returned error: 503`)
4. the type of the error: `...TimeoutError`, `NullPointerException`, `UndefVarError`
5. a common phrase: *could not connect*, *does not exist*, *checksum*
6. who raised it: an error that a library raises usually means that it was used wrongly

Such a class is a guess, and its advice begins with *not certain* and the reason. Give the error a
rule of your own if the guess is wrong.
)";

std::string_view decision_of(job::Remedy remedy) {
  switch (remedy) {
    case job::Remedy::Restart:
      return "restart";
    case job::Remedy::NewPorts:
      return "new ports";
    case job::Remedy::Elsewhere:
      return "elsewhere";
    case job::Remedy::GiveUp:
      return "not retried";
  }
  return "?";
}

std::string ending_of(const Rule& rule) {
  switch (rule.ending) {
    case Ending::Any:
      return "any end";
    case Ending::Code:
      return fmt::format("exit code {}", rule.number);
    case Ending::Signal:
      return fmt::format("{} or exit code {}", signal_name(rule.number), 128 + rule.number);
    case Ending::AnySignal:
      return "any other signal";
    case Ending::OverMemory:
      return "ended by Muster's memory watch or the kernel's out-of-memory killer";
    case Ending::Uncaught:
      return "no signal, and a Python traceback at the end";
    case Ending::Stopped:
      return "after Muster asked it to stop";
    case Ending::ClusterCode:
      return fmt::format("the cluster's code {}", rule.number);
  }
  return "?";
}

std::string_view place_of(Where where) {
  switch (where) {
    case Where::Nowhere:
      return "";
    case Where::Error:
      return "the last error, or an error that led to it";
    case Where::Final:
      return "the last error";
    case Where::Output:
      return "the last output";
  }
  return "?";
}

/// A bar would end the table's cell, even inside code.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

void append_rules(std::string& page, std::span<const Rule> rules) {
  page += "| class | how it ended | pattern | looked for in |\n|---|---|---|---|\n";
  for (const Rule& rule : rules) {
    const std::string pattern = rule.pattern.empty() ? "" : fmt::format("`{}`", cell(rule.pattern));
    page += fmt::format("| `{}` | {} | {} | {} |\n", rule.class_name, ending_of(rule), pattern,
                        place_of(rule.where));
  }
  page += '\n';
}

}  // namespace

std::string reference_markdown() {
  std::string page(kIntroduction);
  page +=
      "## Classes\n\n| class | what happened | kind | decision | what to do "
      "|\n|---|---|---|---|---|\n";
  for (const FailureClass& row : failure_classes()) {
    std::string hint(row.hint);
    if (const size_t at = hint.find("{}"); at != std::string::npos) {
      hint.replace(at, 2, "the module");
    }
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, cell(row.meaning),
                        to_string(row.kind), decision_of(row.remedy), cell(hint));
  }
  const RuleTable rules = built_in_rules();
  page +=
      "\n## Rules\n\nThe first rule that matches wins, from top to bottom.\n\n"
      "### What Muster, the cluster or the kernel reports\n\n";
  append_rules(page, rules.certain);
  page += "### The program's last output\n\n";
  append_rules(page, rules.telling);
  page += "### How it ended\n\n";
  append_rules(page, rules.general);
  page += kFallback;
  return page;
}

}  // namespace muster::verdict
