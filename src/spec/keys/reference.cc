#include "base/text.h"
#include "spec/keys/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace muster::spec {
namespace {

constexpr std::string_view kIntroduction = R"(# Keys of a specification

<!-- Generated from the table of keys in src/spec by `muster explain --markdown`: edit that. -->

A specification is written in YAML or JSON. `muster explain KEY` prints an entry of this page, and
`muster validate SPEC` checks a file without running it.

Sizes are whole numbers with a binary unit (`b`, `k`, `m`, `g`, `t`), such as `512m` or `2g`.
Durations are whole numbers with `us`, `ms`, `s`, `m`, `h` or `d`, such as `250ms`, `15s`, `10m` or
`12h`; `none` means no limit where an entry says so.

Values can come from several places. Later ones override earlier ones: the built-in defaults, the
site file `/etc/muster/site.yaml`, `$MUSTER_HOME/config.yaml`, environment variables like
`MUSTER_SET_ROLES__WORKER__TASKS=8`, the specification or the options that stand for one (`-n`,
`--name`, ...), and `--set roles.worker.tasks=8`. Maps are merged key by key; a list replaces the
whole list below it. Values that a site lists under `enforced` override everything. `muster config
--explain KEY` shows where a value comes from.
)";

constexpr std::string_view kSite = R"(The site file has seven keys. `defaults` and `enforced`
hold keys of a specification. In their `roles`, `"*"` stands for every role of a job, and settings
of a named role apply only to jobs that have it. `limits`, `clusters`, `cleaning`, `forbidden` and
`portal` are described here. `$MUSTER_HOME/config.yaml` has `defaults`, `clusters` and `cleaning`.
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string_view title(Place place) {
  switch (place) {
    case Place::Top:
      return "Top level";
    case Place::Role:
      return "In a role";
    case Place::Site:
      return "In the site file";
  }
  return "";
}

std::string entry(const KeyInfo& key) {
  std::string facts = escaped(key.type);
  if (key.required) {
    facts += "; required";
  } else if (!key.fallback.empty()) {
    facts += "; default: " + escaped(key.fallback);
  }
  return fmt::format("| `{}` | {} | {} |\n", escaped(key.path), facts, escaped(key.doc));
}

}  // namespace

std::string reference_markdown() {
  std::string out(kIntroduction);
  const std::vector<KeyInfo> table = key_table();
  for (const Place place : {Place::Top, Place::Role, Place::Site}) {
    out += fmt::format("\n## {}\n\n", title(place));
    if (place == Place::Site) {
      out += std::string(kSite) + "\n";
    }
    out += "| key | value | meaning |\n|---|---|---|\n";
    for (const KeyInfo& key : table) {
      if (key.place == place) {
        out += entry(key);
      }
    }
  }
  return out;
}

}  // namespace muster::spec
