#include "spec/view_text.h"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

std::string message_of(std::string_view text) {
  const auto parsed = parse_view_text(text);
  return parsed.has_value() ? "" : parsed.error().message;
}

ViewPlace only_place(std::string_view text) {
  const auto parsed = parse_view_text(text);
  EXPECT_TRUE(parsed.has_value()) << message_of(text);
  return parsed.has_value() ? parsed->front().place.value_or(ViewPlace{}) : ViewPlace{};
}

TEST(ViewText, KnowsEveryKindOfPlace) {
  EXPECT_EQ(only_place("{rank}"), (ViewPlace{.role = "", .fact = ViewFact::Rank, .port = ""}));
  EXPECT_EQ(only_place("{ports.http}"),
            (ViewPlace{.role = "", .fact = ViewFact::NamedPort, .port = "http"}));
  EXPECT_EQ(only_place("{ps.2.address}"),
            (ViewPlace{.role = "ps", .index = 2, .fact = ViewFact::Address, .port = ""}));
  EXPECT_EQ(only_place("{ps.0.ports.http}"),
            (ViewPlace{.role = "ps", .index = 0, .fact = ViewFact::NamedPort, .port = "http"}));
  EXPECT_EQ(only_place("{ranks.addresses}"),
            (ViewPlace{.role = "ranks", .fact = ViewFact::Addresses, .port = ""}));
}

TEST(ViewText, KeepsWhatStandsBetween) {
  const auto parsed = parse_view_text("{{\"a\": {rank}}}, {world_size}");
  ASSERT_TRUE(parsed.has_value()) << message_of("{{\"a\": {rank}}}, {world_size}");
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].text, "{\"a\": ");
  EXPECT_EQ((*parsed)[1].text, "}, ");
  EXPECT_EQ((*parsed)[1].place->fact, ViewFact::WorldSize);
  EXPECT_EQ((*parsed)[2].text, "");
}

TEST(ViewText, SaysWhichPlaceIsWrong) {
  EXPECT_EQ(message_of("{ranks}"),
            "`{ranks}`: a place without a role must be one of host, port, address, role, index, "
            "rank, world_size, local_rank, local_size, cross_rank, cross_size, job, generation, "
            "program, interface, "
            "not `ranks`; did you mean `rank`?");
  EXPECT_EQ(message_of("{ps.one.host}"),
            "`{ps.one.host}`: what follows a role must be a task's index, as in {ps.0.host}, not "
            "`one`");
  EXPECT_EQ(message_of("{ps.0.host.x.y}"),
            "`{ps.0.host.x.y}`: must be of the form {ROLE.INDEX.host}, {ROLE.INDEX.ports.NAME}, "
            "{ROLE.count} or {rank}");
  EXPECT_EQ(message_of("{a {rank}"), "`{a `: the `{` is not closed; write `{{` for a literal `{`");
}

}  // namespace
}  // namespace muster::spec
