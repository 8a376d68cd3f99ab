#include "verdict/reference.h"

#include "verdict/failure_class.h"
#include "verdict/rule.h"
#include "verdict/signal_name.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::verdict {
namespace {

constexpr std::string_view kIntroduction = R"(# Failure classes

<!-- Written from the tables in src/verdict; its test says how to write it anew. -->

Every end of a task that is not a success gets a class. The class says whose fault it is (*kind*)
and what Muster does (*decision*); `muster run`, `muster status --json`, the log and the job's page
show it with its evidence.

| kind | meaning |
|---|---|
| user | the program or its input is wrong for certain; acted upon at once |
| program | the program ended without a reason that is certain |
| peer_loss | it says that another task went away: a victim, until no origin is found |
| resource | memory, disk, files, ports: the place or the limit, not the code |
| infrastructure | the container, host or cluster; charged to `restart.infrastructure` |
| stopped | Muster ended it; never a cause |

Decisions are tried within the budgets of `restart`: *restart* climbs the ladder from the same
process slot; *new ports* does so with ports reserved anew; *elsewhere* begins at another host;
*not retried* applies the role's failure policy at once.

Rules of your own come before the built-in ones, and may invent classes:

```yaml
rules:
  - {match: {exit_code: 42}, class: user.data, retry: no}
  - {match: {pattern: "license .* expired"}, class: licence, retry: elsewhere}
```

`match` takes `exit_code`, `signal`, `cluster_code` and `pattern` (RE2, searched in the last 32 KiB
of each stream); all that are given must hold. Without `retry` a class of yours is decided by its
first part: `user.` is not retried, `peer.` is a victim, `disk.` is tried elsewhere, ...

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
      return "ended by the memory watch or the kernel's out-of-memory killer";
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
      return "the last error, or one that led to it";
    case Where::Final:
      return "the last error";
    case Where::Output:
      return "the last output";
  }
  return "?";
}

/// In a table's cell a bar would end the cell, also inside of code.
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
      "\n## Rules\n\nThe first that holds wins, from top to bottom.\n\n"
      "### What Muster, the cluster or the kernel says\n\n";
  append_rules(page, rules.certain);
  page += "### What the program said last\n\n";
  append_rules(page, rules.telling);
  page += "### How it ended\n\n";
  append_rules(page, rules.general);
  page.pop_back();
  return page;
}

}  // namespace muster::verdict
