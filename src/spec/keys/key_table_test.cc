#include "spec/keys/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace muster::spec {
namespace {

using ::testing::HasSubstr;

TEST(KeyTable, DocumentsEveryKeyOnceInSentences) {
  std::set<std::string> paths;
  for (const KeyInfo& key : key_table()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_TRUE(key.doc.ends_with('.')) << key.path;
    EXPECT_FALSE(key.type.empty()) << key.path;
    EXPECT_FALSE(key.since.empty()) << key.path;
  }
  EXPECT_GT(paths.size(), 100U);
}

TEST(Explain, FindsAKeyHoweverItIsWritten) {
  for (const char* key : {"roles.<role>.tasks_per_container", "roles.worker.tasks_per_container",
                          "roles.tasks_per_container", "tasks_per_container"}) {
    const auto text = explain(key);
    ASSERT_TRUE(text.has_value()) << key;
    EXPECT_THAT(*text, HasSubstr("roles.<role>.tasks_per_container: whole number from 1 to 1024\n"
                                 "  default: 1\n  where: a role; since 0.1\n"));
  }
  const auto files = explain("files");
  EXPECT_THAT(*files, HasSubstr("Keys below it:\n  files[].src"));
  EXPECT_TRUE(explain("rules.match.exit_code").has_value());
  EXPECT_TRUE(explain("rules[0].match.exit_code").has_value());
  EXPECT_TRUE(explain("limits.total_memory").has_value());
}

TEST(Explain, SuggestsANearKey) {
  EXPECT_EQ(explain("barier").error().message, "`barier` is not a key; did you mean `barrier`?");
  EXPECT_EQ(explain("restart.windw").error().message,
            "`restart.windw` is not a key; did you mean `restart.window`?");
}

TEST(ReferenceMarkdown, ShowsTypesAndDefaults) {
  const std::string page = reference_markdown();
  EXPECT_THAT(page,
              HasSubstr("| `deadlines.join` | duration, at least 1s, or none; default: 5m | "));
  EXPECT_THAT(page, HasSubstr("| `liveness.beat` | duration, at least 50ms; default: 1s | "));
  EXPECT_THAT(page, HasSubstr("| `master.memory` | size, at least 32m; default: 256m | "));
  EXPECT_THAT(page, HasSubstr("| `logs.keep` | whole number from 1 to 1000; default: 5 | "));
  EXPECT_THAT(page, HasSubstr("| `barrier` | one of gang, as_granted; default: gang, unless"));
  EXPECT_THAT(page, HasSubstr("| `files[].src` | text; required | "));
  EXPECT_THAT(page, HasSubstr("| `limits.memory` | size; default: no limit | "));
}

TEST(ReferenceMarkdown, IsThePageInTheDocs) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/reference/spec.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), reference_markdown())
      << "make it anew: muster explain --markdown > docs/reference/spec.md";
}

TEST(JsonSchema, IsTheFileInTheDocs) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/reference/job.schema.json");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), json_schema())
      << "make it anew: muster explain --json-schema > docs/reference/job.schema.json";
}

}  // namespace
}  // namespace muster::spec
