#include "hadoop/conf_file.h"

#include "hadoop/conf_fixture_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

Result<ConfFile> parse(std::string_view text, std::map<std::string, std::string> others = {}) {
  return parse_conf_file("/conf/core-site.xml", text, read_from(std::move(others)), {"/conf"});
}

std::string wrong(std::string_view text, std::map<std::string, std::string> others = {}) {
  const Result<ConfFile> file = parse(text, std::move(others));
  return file ? "accepted" : file.error().message;
}

TEST(ConfFile, KeepsPropertiesInOrderWithTheirPlaces) {
  const Result<ConfFile> file = parse(
      "<?xml version=\"1.0\"?>\n<!-- site -->\n<configuration>\n"
      "  <property><name> a.b </name><value> one<!-- x -->two </value></property>\n"
      "  <property>\n    <name>c</name><value>&lt;3 &#65;<![CDATA[<&]]></value>\n"
      "    <final>true</final><description>why</description></property>\n"
      "  <property name=\"d\" value=\"4\" final=\"true\"/>\n"
      "</configuration>\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const std::string path = "/conf/core-site.xml";
  const std::vector<ConfItem> expected{
      {"a.b", " onetwo ", false, {path, 4, 3}},
      {"c", "<3 A<&", true, {path, 5, 3}},
      {"d", "4", true, {path, 8, 3}},
  };
  EXPECT_EQ(file->items, expected);
  EXPECT_TRUE(file->notes.empty());
}

TEST(ConfFile, PassesOverWhatHadoopPassesOver) {
  const Result<ConfFile> file = parse(
      "<configuration><section><property><name>in</name><value/></property></section>\n"
      "<property><name>no.value</name></property><property><value>x</value></property>"
      "</configuration>");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->items.size(), 1U);
  EXPECT_EQ(file->items[0].name, "in");
  EXPECT_EQ(file->items[0].value, "");
  ASSERT_EQ(file->notes.size(), 2U);
  EXPECT_EQ(file->notes[0],
            "/conf/core-site.xml:2:1: a <property> without a <value> (no.value) has no effect");
}

TEST(ConfFile, NamesThePlaceOfWhatIsNotWellFormed) {
  EXPECT_EQ(wrong("<configuration>\n  <property></name>\n</configuration>"),
            "/conf/core-site.xml:2:15: error: not well-formed XML: Start-end tags mismatch");
  EXPECT_NE(wrong("").find("not well-formed XML: No document element found"), std::string::npos);
  EXPECT_NE(wrong("garbage").find("not well-formed XML"), std::string::npos);
  EXPECT_EQ(wrong("<html><body>404</body></html>"),
            "/conf/core-site.xml:1:1: error: not a Hadoop configuration: its root is <html>, not "
            "<configuration>");
  EXPECT_EQ(wrong("<configuration/>\n<configuration/>"),
            "/conf/core-site.xml:2:1: error: <configuration> follows the end of <configuration>; a "
            "file has only one root");
  EXPECT_EQ(wrong("\xFF\xFE<"), "/conf/core-site.xml: error: written in UTF-16; save it as UTF-8");
}

TEST(ConfFile, RefusesEntitiesDepthAndSize) {
  EXPECT_EQ(wrong("<!DOCTYPE c [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]><configuration/>"),
            "/conf/core-site.xml:1:11: error: entities declared in the DOCTYPE are not expanded; "
            "write their values where they are used");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) {
    deep += "<a>";
  }
  EXPECT_NE(wrong(deep).find("error"), std::string::npos);
  std::string closed = "<configuration>";
  for (int i = 0; i < 50; ++i) {
    closed += "<a>";
  }
  for (int i = 0; i < 50; ++i) {
    closed += "</a>";
  }
  EXPECT_NE(wrong(closed + "</configuration>").find("nested too deeply"), std::string::npos);
  EXPECT_NE(wrong(std::string(kConfBytesMax + 1, ' ')).find("too large"), std::string::npos);
}

TEST(ConfFile, IncludesFilesWhereTheyStand) {
  const std::map<std::string, std::string> others{
      {"/conf/more.xml", "<configuration>" + property("b", "2") + "</configuration>"},
      {"/else/abs.xml", "<configuration>" + property("c", "3") + "</configuration>"}};
  const Result<ConfFile> file =
      parse("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">" + property("a", "1") +
                "<xi:include href=\"more.xml\"><xi:fallback>" + property("no", "1") +
                "</xi:fallback></xi:include><xi:include href=\"file:///else/abs.xml\"/>" +
                property("d", "4") + "</configuration>",
            others);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  std::string names;
  for (const ConfItem& item : file->items) {
    names += item.name;
  }
  EXPECT_EQ(names, "abcd");
  EXPECT_EQ(to_string(file->items[1].origin), "/conf/more.xml:1:16");
}

TEST(ConfFile, TakesTheFallbackOfAMissingInclude) {
  const std::string include =
      "<configuration>\n<xi:include href=\"gone.xml\">FALLBACK</xi:include></configuration>";
  std::string with = include;
  with.replace(with.find("FALLBACK"), 8, "<xi:fallback>" + property("f", "1") + "</xi:fallback>");
  const Result<ConfFile> file = parse(with);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->items.at(0).name, "f");
  EXPECT_EQ(wrong(include),
            "/conf/core-site.xml:2:1: error: cannot include gone.xml: no such file; fix the path, "
            "or give it a <fallback>");
  EXPECT_NE(wrong("<configuration><include href=\"http://x/y.xml\"/></configuration>")
                .find("only files can be included"),
            std::string::npos);
}

TEST(ConfFile, EndsIncludeLoopsAndFloods) {
  const std::string twice =
      "<configuration><include href=\"{}\"/><include href=\"{}\"/></configuration>";
  EXPECT_EQ(wrong("<configuration><include href=\"core-site.xml\"/></configuration>"),
            "/conf/core-site.xml:1:16: error: /conf/core-site.xml includes itself");
  std::map<std::string, std::string> flood;
  for (int i = 0; i < 20; ++i) {
    const std::string next = fmt::format("{}.xml", i + 1);
    flood[fmt::format("/conf/{}.xml", i)] = fmt::format(fmt::runtime(twice), next, next);
  }
  flood["/conf/20.xml"] = "<configuration/>";
  EXPECT_NE(wrong(flood["/conf/0.xml"], flood).find("too many files are included"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop
