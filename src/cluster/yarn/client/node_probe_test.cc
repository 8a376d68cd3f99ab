#include "cluster/yarn/client/node_probe.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using Verdict = Finding::Verdict;

const Finding* find(const std::vector<Finding>& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) {
      return &finding;
    }
  }
  return nullptr;
}

TEST(NodeProbe, TellsWhatANodeHas) {
  const auto findings = findings_of_probe(
      "muster: doctor-x: 1 task on yarn\nworker:0 | muster-probe node n7\n"
      "worker:0 | muster-probe python /usr/bin/python3 3.11.2 torch sklearn\n"
      "worker:0 | muster-probe here yes\nworker:0 | muster-probe tmp yes /tmp\n"
      "worker:0 | muster-probe classes yes\n",
      0);
  EXPECT_EQ(find(findings, "node python")->text,
            "n7 has /usr/bin/python3 (3.11.2), which finds torch sklearn");
  EXPECT_EQ(find(findings, "node noexec")->verdict, Verdict::Good);
  EXPECT_EQ(find(findings, "node hadoop"), nullptr);
}

TEST(NodeProbe, TellsWhatItLacks) {
  const auto findings = findings_of_probe(
      "w | muster-probe node n7\nw | muster-probe python\nw | muster-probe here yes\n"
      "w | muster-probe tmp no /var/tmp\n",
      0);
  EXPECT_EQ(find(findings, "node python")->text, "n7 has no working python3");
  EXPECT_EQ(find(findings, "node noexec")->text, "programs cannot be executed in /var/tmp on n7");
  EXPECT_EQ(find(findings, "node hadoop")->verdict, Verdict::Note);
  const auto closed = findings_of_probe("muster-probe node n7\nmuster-probe here no\n", 0);
  EXPECT_EQ(find(closed, "node noexec")->verdict, Verdict::Bad);
}

TEST(NodeProbe, OfWhichNothingCameSaysWhy) {
  const auto findings = findings_of_probe("muster: the queue default refuses alice\n", 6);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict, Verdict::Bad);
  EXPECT_NE(findings[0].text.find("the queue default refuses alice"), std::string::npos);
}

}  // namespace
}  // namespace muster::cluster::yarn
