#include "client/keep/findings.h"

#include "base/text.h"
#include "client/follow/console.h"

#include <fmt/format.h>

namespace muster::client {
namespace {

using cluster::Finding;
using Verdict = Finding::Verdict;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Good:
      return "good";
    case Verdict::Note:
      return "note";
    case Verdict::Bad:
      return "bad";
  }
  return "?";
}

}  // namespace

std::string render_findings(const std::vector<Finding>& findings, bool colour) {
  std::string out;
  for (const Finding& finding : findings) {
    const std::string_view code = finding.verdict == Verdict::Good   ? "32"
                                  : finding.verdict == Verdict::Note ? "33"
                                                                     : "31";
    out += fmt::format("{}  {:<10}  {}\n",
                       paint(fmt::format("{:<4}", name_of(finding.verdict)), code, colour),
                       finding.subject, finding.text);
    if (!finding.advice.empty()) {
      out += fmt::format("                  {}\n", finding.advice);
    }
  }
  return out;
}

std::string render_findings_json(const std::vector<Finding>& findings) {
  std::string out = R"({"schema":"muster.doctor/1","findings":[)";
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    out += fmt::format(R"({}{{"verdict":{},"subject":{},"text":{},"advice":{}}})",
                       i == 0 ? "" : ",", json_quote(name_of(finding.verdict)),
                       json_quote(finding.subject), json_quote(finding.text),
                       finding.advice.empty() ? std::string("null") : json_quote(finding.advice));
  }
  return out + "]}\n";
}

}  // namespace muster::client
