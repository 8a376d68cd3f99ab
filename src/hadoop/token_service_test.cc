#include "hadoop/token_service.h"

#include <gtest/gtest.h>

#include <utility>

namespace muster::hadoop {
namespace {

Credentials with(std::vector<std::pair<std::string_view, std::string>> tokens) {
  Credentials credentials;
  for (auto& [kind, service] : tokens) {
    credentials.add(
        std::to_string(credentials.tokens().size()),
        {.identifier = service, .password = {}, .kind = std::string(kind), .service = service});
  }
  return credentials;
}

std::string service_of(const Token* token) { return token == nullptr ? "none" : token->service; }

const ServerAddress kServer{.configured = {"NN.Example", 8020}, .peer = "10.0.0.7:8020"};

TEST(TokenService, IsWrittenAsHadoopDoes) {
  EXPECT_EQ(token_service(kServer, true), "10.0.0.7:8020");
  EXPECT_EQ(token_service(kServer, false), "nn.example:8020");
  EXPECT_EQ(logical_token_service("ns1"), "ha-hdfs:ns1");
}

TEST(TokenService, HdfsTokensGoByNameServiceThenAddressThenName) {
  const NameService logical{.name = "ns1", .logical = true, .name_nodes = {}};
  const NameService single{.name = "NN.Example:8020", .logical = false, .name_nodes = {}};
  const auto hdfs = token_kind::kHdfs;
  const Credentials all = with({{hdfs, "nn.example:8020"},
                                {hdfs, "10.0.0.7:8020"},
                                {token_kind::kWebHdfs, "ha-hdfs:ns1"},
                                {hdfs, "ha-hdfs:ns1"}});
  EXPECT_EQ(service_of(find_hdfs_token(all, logical, kServer)), "ha-hdfs:ns1");
  EXPECT_EQ(service_of(find_hdfs_token(all, single, kServer)), "10.0.0.7:8020");
  EXPECT_EQ(service_of(find_hdfs_token(with({{hdfs, "nn.example:8020"}}), single, kServer)),
            "nn.example:8020");
  EXPECT_EQ(service_of(find_hdfs_token(with({{hdfs, "ha-hdfs:ns2"}}), logical, kServer)), "none");
}

TEST(TokenService, ResourceManagerTokensMayListSeveralAddresses) {
  const auto kind = token_kind::kResourceManager;
  const ServerAddress rm{.configured = {"rm", 8032}, .peer = "10.0.0.1:8032"};
  EXPECT_EQ(service_of(find_service_token(with({{kind, "10.0.0.9:8032,10.0.0.1:8032"}}), kind, rm)),
            "10.0.0.9:8032,10.0.0.1:8032");
  EXPECT_EQ(service_of(find_service_token(with({{kind, "rm:8032"}}), kind, rm)), "rm:8032");
  // "10.0.0.1:8032" is part of the text, but not of the list.
  EXPECT_EQ(service_of(find_service_token(with({{kind, "110.0.0.1:8032"}}), kind, rm)), "none");
}

TEST(TokenService, TheMastersOwnTokenGoesByKind) {
  EXPECT_EQ(find_am_rm_token(with({{token_kind::kHdfs, "x"}})), nullptr);
  EXPECT_EQ(service_of(find_am_rm_token(with({{token_kind::kAmRm, ""},
                                              {token_kind::kHdfs, "x"},
                                              {token_kind::kAmRm, "10.0.0.1:8030"}}))),
            "10.0.0.1:8030");
}

}  // namespace
}  // namespace muster::hadoop
