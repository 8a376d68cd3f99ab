#include "cli/help.h"

#include "app/commands.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "spec/frameworks.h"
#include "spec/keys/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace muster::app {
namespace {

using cli::Command;
using cli::Parameter;
using cli::Printed;

void expect_narrow(const std::string& text) {
  for (const std::string_view line : split(text, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Help, NamesEveryCommandForPeople) {
  const std::string text = cli::help_overview(command_table());
  expect_narrow(text);
  const cli::Table table = command_table();
  for (const Command& row : table.rows) {
    const bool listed = text.find("\n  " + std::string(row.name) + " ") != std::string::npos;
    EXPECT_EQ(listed, !row.summary.empty() && row.name.find(' ') == std::string_view::npos)
        << row.name;
  }
}

TEST(Help, NamesEveryParameterAndTheExample) {
  const cli::Table table = command_table();
  for (const Command& row : table.rows) {
    if (row.summary.empty()) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::string text = cli::help_text(table, row);
    expect_narrow(text);
    EXPECT_NE(text.find("\nExample:\n  " + std::string(row.example)), std::string::npos);
    for (const Parameter& each : row.parameters) {
      for (const std::string_view name : each.names) {
        EXPECT_EQ(text.find(name) != std::string::npos, !each.help.empty()) << name;
      }
    }
  }
}

TEST(Help, NamesEveryValueThatAnOptionTakes) {
  const cli::Table table = command_table();
  const std::vector<spec::KeyInfo> keys = spec::key_table();
  const auto framework = std::ranges::find(keys, "framework", &spec::KeyInfo::path);
  ASSERT_NE(framework, keys.end());
  for (const Command& row : table.rows) {
    for (const Parameter& each : row.parameters) {
      if (each.help.empty()) {
        continue;
      }
      std::vector<std::string_view> values = each.choices;
      if (each.kind == cli::Kind::Framework) {
        values.assign(framework->choices.begin(), framework->choices.end());
        for (const spec::FrameworkFile& file : spec::framework_files()) {
          values.push_back(file.name);
        }
        EXPECT_GT(values.size(), 10U);
      }
      for (const std::string_view value : values) {
        EXPECT_NE(each.help.find(value), std::string_view::npos)
            << row.name << " " << each.names.front() << ": " << value;
      }
    }
  }
}

TEST(Help, LooksLikeThis) {
  const auto read = cli::parse_command_line(command_table(), {"stop", "--help"});
  EXPECT_EQ(std::get<Printed>(read).out,
            R"(Stop jobs and wait for their end.

Usage: muster stop [OPTION...] JOB...

  JOB...                  Jobs, each given by its id, the beginning of its id,
                          the cluster's id for it, or `last`

Options:
  --on CLUSTER            Also look for jobs on this cluster, whichever host
                          they were submitted from: yarn, or a cluster named in
                          the site file
  --interrupt             Interrupt the programs as Ctrl-C would if they were
                          run by hand (SIGINT): Python raises KeyboardInterrupt.
                          Programs that keep running get SIGTERM after their
                          grace period
  --no-wait               Return as soon as the job has been told to stop
  --json                  Print JSON with a versioned schema
  -h, --help              Print this help

Example:
  muster stop last
)");
}

TEST(Help, ComesInEveryPlaceWhereItIsAskedFor) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"-h"},
                                             {"fs", "--help"},
                                             {"fs", "ls", "--help"},
                                             {"run", "-n", "1", "-h"},
                                             {"tony", "--help"}}) {
    const auto read = cli::parse_command_line(command_table(), arguments);
    ASSERT_TRUE(std::holds_alternative<Printed>(read)) << join(arguments, " ");
    EXPECT_EQ(std::get<Printed>(read).exit_status, 0);
    EXPECT_NE(std::get<Printed>(read).out.find("Usage: muster"), std::string::npos);
  }
}

TEST(Help, PagesHoldEveryCommand) {
  const std::string page = cli::reference_page(command_table());
  const std::string manual = cli::manual_page(command_table());
  const cli::Table table = command_table();
  for (const Command& row : table.rows) {
    if (!row.summary.empty()) {
      EXPECT_NE(page.find("\n## muster " + std::string(row.name) + "\n"), std::string::npos);
      // Where roff would print a hyphen, people need a minus sign that they can copy.
      std::string name;
      for (const char letter : row.name) {
        name += letter == '-' ? "\\-" : std::string(1, letter);
      }
      EXPECT_NE(manual.find("\n.SS muster " + name), std::string::npos) << name;
    }
  }
  EXPECT_NE(manual.find("\\-\\-exit\\-code\\-from ROLE"), std::string::npos);
}

}  // namespace
}  // namespace muster::app
