#include "cli/command_line.h"

#include "cli/help.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

/// Goal: the parser needs nothing but a table. This table is from another trade.
struct Baking {
  std::string bread;
  std::optional<uint32_t> loaves;
  bool dark = false;
};

int bake(client::Session&, const Baking&) { return 0; }

Table bakery() {
  Table table{.summary = "Bakes",
              .example = "muster bake rye",
              .version = "1.2",
              .reference_head = "# Bakery\n",
              .rows = {}};
  table.rows.push_back(command(
      "bake", "Bake bread", bake,
      [](Baking& o) {
        return std::vector<Parameter>{
            {.names = {"BREAD"}, .field = &o.bread, .help = "Which", .missing = "name a bread"},
            {.names = {"-n", "--loaves"}, .field = &o.loaves, .help = "How many", .value = "N"},
            {.names = {"--dark"}, .field = &o.dark, .help = "Longer"}};
      },
      "muster bake rye"));
  return table;
}

Baking read(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(bakery(), arguments);
  const auto* row = std::get_if<Command>(&parsed);
  EXPECT_NE(row, nullptr) << std::get<Printed>(parsed).err;
  return row == nullptr ? Baking() : *std::static_pointer_cast<Baking>(row->options);
}

std::string mistake(const std::vector<std::string>& arguments) {
  return std::get<Printed>(parse_command_line(bakery(), arguments)).err;
}

TEST(Table, TellsHowArgumentsAreRead) {
  const Baking baking = read({"bake", "-n3", "rye", "--dark"});
  EXPECT_EQ(baking.bread, "rye");
  EXPECT_EQ(baking.loaves, 3U);
  EXPECT_TRUE(baking.dark);
  EXPECT_EQ(read({"bake", "rye"}).loaves, std::nullopt);
}

TEST(Table, TellsWhatIsAMistake) {
  EXPECT_EQ(mistake({"bake"}), "muster: bake: name a bread (see `muster bake --help`)\n");
  EXPECT_EQ(mistake({"bkae", "rye"}),
            "muster: there is no command `bkae`; did you mean `muster bake`?\n");
}

TEST(Table, TellsVersionAndHelp) {
  EXPECT_EQ(std::get<Printed>(parse_command_line(bakery(), {"--version"})).out, "muster 1.2\n");
  const std::string overview = help_overview(bakery());
  EXPECT_TRUE(overview.starts_with("Bakes.\n\nUsage: muster COMMAND")) << overview;
  EXPECT_TRUE(overview.ends_with("\nExample:\n  muster bake rye\n")) << overview;
  EXPECT_TRUE(reference_page(bakery()).starts_with("# Bakery\n"));
}

}  // namespace
}  // namespace muster::cli
