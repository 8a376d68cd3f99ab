#include "scalars/report_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace muster::scalars {
namespace {

std::string refusal(std::string_view line) {
  const Result<Report> report = parse_report_line(line);
  return report ? "" : report.error().message;
}

TEST(ReportLine, HasStepNumbersAndTime) {
  const Result<Report> report = parse_report_line(
      R"({"step": 12, "loss": 0.25, "train/accuracy": 1, "max_steps": 1e3, "time": 1700000000.5})");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->step, 12);
  EXPECT_EQ(report->max_steps, 1000);
  ASSERT_EQ(report->scalars.size(), 2U);
  EXPECT_EQ(report->scalars[0],
            (Scalar{.name = "loss", .value = 0.25, .step = 12, .at = wall_time_of(1700000000.5)}));
  EXPECT_EQ(report->scalars[1].name, "train/accuracy");
}

TEST(ReportLine, MayLackEverything) {
  const Result<Report> report = parse_report_line(R"({"loss": null})");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(*report, Report());
}

TEST(ReportLine, KnowsNumbersThatJsonLacks) {
  const Result<Report> report = parse_report_line(
      R"({"a": NaN, "b": -Infinity, "c": "Infinity", "d": "nan", "NaN \" Infinity": 1})");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(std::isnan(report->scalars[0].value));
  EXPECT_EQ(report->scalars[1].value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(report->scalars[2].value, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(report->scalars[3].value));
  EXPECT_EQ(report->scalars[4].name, "NaN \" Infinity");
}

TEST(ReportLine, SaysWhatIsWrong) {
  const std::string form =
      R"(the line must be a JSON object of numbers, as in {"step": 120, "loss": 0.25})";
  EXPECT_EQ(refusal("hello"), form);
  EXPECT_EQ(refusal(""), form);
  EXPECT_EQ(refusal("[1]"), form);
  EXPECT_EQ(refusal(R"({"step": 1)"), form);
  EXPECT_EQ(refusal(R"({"step": -1})"), "step must be a whole number, 0 or more");
  EXPECT_EQ(refusal(R"({"max_steps": 1.5})"), "max_steps must be a whole number, 0 or more");
  EXPECT_EQ(refusal(R"({"loss": "low"})"),
            "the value of loss must be a number, NaN, Infinity or -Infinity");
  EXPECT_EQ(refusal(R"({"loss": [1]})"),
            "the value of loss must be a number, NaN, Infinity or -Infinity");
  EXPECT_EQ(refusal(R"({"time": 12})"), "time must be in seconds since 1970, as in 1700000000.5");
  EXPECT_EQ(refusal(R"({"": 12})"),
            "`` cannot be a name: a name has 1 to 190 bytes of UTF-8 without control characters");
  EXPECT_EQ(refusal("{\"\xff\": 12}"), "the line is not valid UTF-8");
}

TEST(ReportLine, IsBounded) {
  EXPECT_EQ(refusal(std::string(kLineBytesMax + 1, ' ')), "a line may have 16384 bytes at most");
  std::string many = "{\"n0\": 0";
  for (size_t i = 1; i <= kLineScalarsMax; ++i) {
    many += ", \"n" + std::to_string(i) + "\": 0";
  }
  EXPECT_EQ(refusal(many + "}"), "more than 64 numbers in one line");
  EXPECT_NE(refusal(std::string(1000, '[')), "");
}

}  // namespace
}  // namespace muster::scalars
