#include "tony/unmapped.h"

#include <algorithm>
#include <array>

namespace muster::tony {
namespace {

struct Unmapped {
  std::string_view begin;  ///< How the name begins; all of it if `end` is "=".
  std::string_view end;    ///< How it ends.
  std::string_view why;
};

constexpr std::string_view kWhole = "=";
constexpr std::string_view kNoJava = "nothing to do: Muster runs without Java";
constexpr std::string_view kConf =
    "nothing to do: HADOOP_CONF_DIR, or `clusters:` of the site file, names the configuration";
constexpr std::string_view kPortal =
    "nothing to do: `muster history` and `muster show` read what each job leaves in HDFS";
constexpr std::string_view kLimits = "set limits for all users in /etc/muster/site.yaml";

constexpr std::array kUnmapped = {
    Unmapped{"tony.application.placement-spec", kWhole,
             "write `constraint` in each role it applies to"},
    Unmapped{"tony.docker.am.image", kWhole, "nothing to do: the master runs without Docker"},
    Unmapped{"tony.application.enable-preprocess", kWhole,
             "make the preparation a role, and have the others wait with `after`"},
    Unmapped{"tony.application.num-client-rm-connect-retries", kWhole,
             "Hadoop's own yarn.resourcemanager.connect.max-wait.ms applies"},
    Unmapped{"tony.application.hadoop.", "", kNoJava},
    Unmapped{"tony.application.security.enabled", kWhole,
             "nothing to do: the cluster's hadoop.security.authentication decides"},
    Unmapped{"tony.application.hdfs-conf-path", kWhole, kConf},
    Unmapped{"tony.application.yarn-conf-path", kWhole, kConf},
    Unmapped{"tony.application.mapred-conf-path", kWhole, kConf},
    Unmapped{"tony.other.namenodes", kWhole,
             "tokens for other file systems are taken from HADOOP_TOKEN_FILE_LOCATION"},
    Unmapped{"tony.portal.", "", kPortal},
    Unmapped{
        "tony.am.memory", kWhole,
        "nothing to do: the master needs 256m (`master.memory`), where a Java process took 2g"},
    Unmapped{"tony.am.gpus", kWhole, "the master uses no GPUs"},
    Unmapped{"tony.am.node-label", kWhole,
             "the master goes where `yarn.node_label` sends the application"},
    Unmapped{"tony.am.resources", kWhole, "the master needs no files"},
    Unmapped{"tony.am.command", kWhole, "the master does not run user programs: make it a role"},
    Unmapped{"tony.am.wait-client-signal-stop-timeout-sec", kWhole,
             "nothing to do: the master exits once it has reported to the cluster"},
    Unmapped{"tony.task.max-total-", "", kLimits},
    Unmapped{"tony.", ".max-instances", kLimits},
    Unmapped{"tony.", "jvm.opts", kNoJava},
    Unmapped{"tony.task.metrics-interval-ms", kWhole, "nothing to do: peaks are always measured"},
    Unmapped{"tony.task.gpu-metrics.enabled", kWhole, "nothing to do"},
    Unmapped{"tony.task.executor.execution-timeout-ms", kWhole,
             "write `timeout SECONDS` before the command, or set `deadlines.run` for the job"},
    Unmapped{"tony.task.executor.execution.error-message-max-depth", kWhole,
             "nothing to do: the outcome shows the program's last output"},
    Unmapped{"tony.gpu-exec-path", kWhole, "nothing to do: nvidia-smi is looked for on PATH"},
    Unmapped{"tony.python-exec-path", kWhole, "write the interpreter into the command"},
    Unmapped{"tony.", ".depends-on", "TonY never read it; write `after: [ROLE]` in the role"},
    Unmapped{"tony.horovod.", "", "only TonY's own tests use it; Muster needs no driver"},
    Unmapped{"tony.history.", "", kPortal},
    Unmapped{"tony.keytab.", "", kPortal},
    Unmapped{"tony.https.", "", kPortal},
    Unmapped{"tony.http.port", kWhole, kPortal},
    Unmapped{"tony.secret.key", kWhole, kPortal},
    Unmapped{"tony.version-info.", "", "nothing to do: `muster version` tells"},
    Unmapped{"tony.application.single-node", kWhole,
             "nothing to do: a job with one task is one role with `tasks: 1`"},
    Unmapped{"tony.default.jvm.opts", kWhole, kNoJava},
};

}  // namespace

std::optional<std::string_view> why_unmapped(std::string_view name) {
  const auto* const found = std::ranges::find_if(kUnmapped, [&](const Unmapped& one) {
    return one.end == kWhole ? name == one.begin
                             : name.starts_with(one.begin) && name.ends_with(one.end);
  });
  return found == kUnmapped.end() ? std::nullopt : std::optional(found->why);
}

}  // namespace muster::tony
