#include "base/text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(JsonQuote, EscapesControlsAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_quote("a\"b\\\n\x01"), "\"a\\\"b\\\\\\n\\u0001\"");
  EXPECT_EQ(json_quote("gr\xC3\xBC\xC3"), "\"gr\xC3\xBC\xEF\xBF\xBD\"");
}

TEST(JsonQuote, EscapesWhatATerminalObeysUnseen) {
  EXPECT_EQ(json_quote("a\xC2\x9B"
                       "2Jb"),
            "\"a\\u009b2Jb\"");
  EXPECT_EQ(json_quote("\u202Egnp.exe"), "\"\\u202egnp.exe\"");
}

TEST(JsonQuote, KeepsWhatStandsBetweenEscapesInItsPlace) {
  EXPECT_EQ(json_quote("\x1F ~\x7Fplain, \\ and\r\n\tmore"),
            "\"\\u001f ~\\u007fplain, \\\\ and\\r\\n\\tmore\"");
  EXPECT_EQ(json_quote(std::string(3, '\0') + "\xFF\xC3\xA9.\u2028"),
            "\"\\u0000\\u0000\\u0000\xEF\xBF\xBD\xC3\xA9.\\u2028\"");
  EXPECT_EQ(json_quote(""), "\"\"");
}

TEST(ShellQuote, KeepsPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(shell_quote("--epochs=5"), "--epochs=5");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
}

TEST(ShellCommand, KeepsEachWordAsOne) {
  EXPECT_EQ(shell_command({}), "");
  const std::string words[] = {"echo", "a b", ""};
  EXPECT_EQ(shell_command(words), "echo 'a b' ''");
}

TEST(Nearest, FindsASlipAndNotAStranger) {
  const std::string_view keys[] = {"memory", "vcores", "tasks"};
  EXPECT_EQ(nearest("memroy", keys), "memory");
  EXPECT_EQ(nearest("task", keys), "tasks");
  const std::string_view commands[] = {"run", "ps"};
  EXPECT_EQ(nearest("rnu", commands), "run");
  EXPECT_EQ(nearest("banana", keys), std::nullopt);
}

TEST(Printable, LetsNoEscapeSequencePass) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a^[[31mb");
  EXPECT_EQ(printable("\xC2\x9B"), "\xEF\xBF\xBD");
}

TEST(Printable, LetsNoTextRunBackwards) {
  for (const char* hidden : {"\xC2\x80", "\xC2\x9F", "\u061C", "\u200E", "\u200F", "\u2028",
                             "\u202A", "\u202E", "\u2066", "\u2069"}) {
    EXPECT_EQ(printable(std::string("a") + hidden + "b"), "a\uFFFDb");
  }
  for (const char* shown : {"\u00A0", "gr\u00FC\u00DF", "\u05D0\u05D1", "\u200D", "\u2065",
                            "\u206A", "\U0001F600", "a\tb"}) {
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(FindLineEnd, FindsTheFirstAndTheLastOfBothKinds) {
  const std::string far(5000, 'x');
  for (const std::string& before : {std::string(), std::string("ab"), far}) {
    for (const std::string& after : {std::string(), std::string("cd"), far}) {
      for (const char* ends : {"\n", "\r", "\r\n", "\n\r", "\r-\n"}) {
        const std::string text = before + ends + after;
        EXPECT_EQ(find_line_end(text), before.size());
        EXPECT_EQ(find_last_line_end(text), before.size() + std::string_view(ends).size() - 1);
      }
    }
    EXPECT_EQ(find_line_end(before), std::string_view::npos);
    EXPECT_EQ(find_last_line_end(before), std::string_view::npos);
  }
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(512ULL << 20), "512 MiB");
  EXPECT_EQ(format_bytes(1536ULL << 20), "1.5 GiB");
}

TEST(FindInvalidUtf8, ReturnsTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("gr\xC3\xBC\xC3\x9F"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xC3"), 0U);
}

}  // namespace
}  // namespace muster
