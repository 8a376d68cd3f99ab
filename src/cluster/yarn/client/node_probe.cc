#include "cluster/yarn/client/node_probe.h"

#include "base/text.h"
#include "os/process/command.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

namespace muster::cluster::yarn {
namespace {

using Verdict = Finding::Verdict;

constexpr std::chrono::minutes kPatience{5};
constexpr std::string_view kMark = "muster-probe ";

/// Each line begins with the mark and a word that says what it reports.
constexpr const char* kScript = R"sh(
say() { echo "muster-probe $*"; }
runs_in() {
  f="$1/.muster-probe-$$"
  printf '#!/bin/sh\nexit 0\n' >"$f" 2>/dev/null && chmod 700 "$f" && "$f" 2>/dev/null
  code=$?
  rm -f "$f"
  return $code
}
say node "$(uname -n)"
python3 -c 'import sys, importlib.util as u
names = [m for m in ("tensorflow", "torch", "jax", "sklearn") if u.find_spec(m)]
version = ".".join(map(str, sys.version_info[:3]))
print("muster-probe python", sys.executable, version, *names)' 2>/dev/null || say python
runs_in . && say here yes || say here no
runs_in "${TMPDIR:-/tmp}" && say tmp yes "${TMPDIR:-/tmp}" || say tmp no "${TMPDIR:-/tmp}"
[ -z "$CLASSPATH" ] || say classes yes
)sh";

/// Returns the content of the line with that word, without its mark and word; nullopt if there is
/// none.
std::optional<std::string> told(std::string_view output, std::string_view word) {
  const std::string begin = fmt::format("{}{}", kMark, word);
  for (const std::string_view line : split(output, '\n')) {
    const size_t at = line.find(begin);
    const size_t after = at + begin.size();
    if (at != std::string_view::npos && (after == line.size() || line[after] == ' ')) {
      return printable(trim(line.substr(after)));
    }
  }
  return std::nullopt;
}

Finding python_finding(const std::string& node, const std::string& told) {
  const std::vector<std::string_view> words = split(told, ' ');
  if (words.size() < 2) {
    return {Verdict::Note, "node python", node + " has no working python3",
            "ship one (python.env), or name an interpreter on the nodes (python.interpreter)"};
  }
  std::string names;
  for (size_t i = 2; i < words.size(); ++i) {
    names += (i == 2 ? "" : " ") + std::string(words[i]);
  }
  return {Verdict::Good,
          "node python",
          fmt::format("{} has {} ({}), which finds {}", node, words[0], words[1],
                      names.empty() ? "no tensorflow, torch, jax or sklearn" : names),
          {}};
}

}  // namespace

std::vector<Finding> findings_of_probe(std::string_view output, int exit_code) {
  const std::optional<std::string> node = told(output, "node");
  if (!node || exit_code != 0) {
    std::string last;
    for (const std::string_view line : split(output, '\n')) {
      if (const std::string_view text = trim(line); text.find("muster: ") == 0 || last.empty()) {
        last = text.empty() ? last : printable(text);
      }
    }
    return {{Verdict::Bad, "node", "the probe job failed: " + last,
             "run it by hand: muster run -n 1 --on yarn -- true"}};
  }
  std::vector<Finding> findings;
  findings.push_back({Verdict::Good, "node", "a container on " + *node + " runs programs", {}});
  findings.push_back(python_finding(*node, told(output, "python").value_or("")));
  const std::string here = told(output, "here").value_or("no");
  const std::string tmp = told(output, "tmp").value_or("no");
  if (here != "yes") {
    findings.push_back({Verdict::Bad, "node noexec",
                        "programs cannot be executed in the folders of containers on " + *node,
                        "mount yarn.nodemanager.local-dirs without noexec"});
  } else if (!tmp.starts_with("yes")) {
    findings.push_back({Verdict::Note, "node noexec",
                        fmt::format("programs cannot be executed in {} on {}",
                                    tmp.size() > 3 ? tmp.substr(3) : "its folder for files", *node),
                        "programs that build modules there fail: set TMPDIR in env"});
  } else {
    findings.push_back(
        {Verdict::Good,
         "node noexec",
         "programs can be executed in the folders of containers and of temporary files",
         {}});
  }
  if (!told(output, "classes")) {
    findings.push_back({Verdict::Note, "node hadoop",
                        *node + " has no Hadoop classes: tasks cannot read hdfs:// through libhdfs",
                        "files of the specification and checkpoints do not need them"});
  }
  return findings;
}

std::vector<Finding> probe_node(const std::filesystem::path& program,
                                const std::map<std::string, std::string>& environment,
                                const std::string& on) {
  os::SpawnOptions spawn;
  spawn.argv = {"/bin/sh",
                "-c",
                "exec \"$0\" \"$@\" 2>&1",
                program.string(),
                "run",
                "-n",
                "1",
                "--name",
                "doctor",
                "--on",
                on,
                "--set",
                "roles.worker.memory=256m",
                "--",
                "/bin/sh",
                "-c",
                kScript};
  spawn.env = environment;
  const Result<os::CommandOutput> done = os::run_command(std::move(spawn), kPatience);
  if (!done) {
    return {{Verdict::Bad, "node", "the probe job did not end: " + done.error().message,
             "`muster why last` shows what it waits for, `muster stop last` ends it"}};
  }
  return findings_of_probe(done->stdout_text, done->exit.code.value_or(1));
}

}  // namespace muster::cluster::yarn
