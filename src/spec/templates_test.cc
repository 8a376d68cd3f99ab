#include "spec/templates.h"

#include "spec/read/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace muster::spec {
namespace {

TEST(Templates, LoadAndBringWhatTheyName) {
  for (const Template& kind : templates()) {
    SCOPED_TRACE(kind.name);
    ASSERT_EQ(kind.files[0].path, "job.yaml");
    const auto loaded = load({.spec = TextInput{"job.yaml", std::string(kind.files[0].text)}});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_EQ(loaded->spec.name, kind.name);
    ASSERT_EQ(loaded->spec.files.size(), kind.files.size() - 1);
    for (const File& file : loaded->spec.files) {
      EXPECT_NE(std::ranges::find(kind.files, file.src, &TemplateFile::path), kind.files.end());
    }
  }
}

}  // namespace
}  // namespace muster::spec
