#include "hadoop/rpc/frame.h"

#include "hadoop/rpc/encoding.h"
#include "hadoop/rpc/handshake.h"

#include <gtest/gtest.h>

#include <hadoop/rpc.pb.h>
#include <string>

namespace muster::hadoop::rpc {
namespace {

using namespace ::hadoop::common;

constexpr auto kProtocol = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB";

std::string client_id() {
  std::string id;
  for (char byte = 0; byte < 16; ++byte) {
    id.push_back(byte);
  }
  return id;
}

RpcRequestHeaderProto header(int32_t id, std::string client, int32_t retry) {
  RpcRequestHeaderProto made;
  made.set_rpckind(RPC_PROTOCOL_BUFFER);
  made.set_rpcop(RpcRequestHeaderProto::RPC_FINAL_PACKET);
  made.set_callid(id);
  made.set_clientid(std::move(client));
  made.set_retrycount(retry);
  return made;
}

TEST(Frame, OpensAConnection) {
  EXPECT_EQ(hex(preamble(AuthProtocol::None)), "68727063090000");
  EXPECT_EQ(hex(preamble(AuthProtocol::Sasl)), "687270630900df");
}

TEST(Frame, WritesTheBytesOfHadoop) {
  const Target target{.protocol = {.name = kProtocol}, .identity = {.user = "alice"}};
  EXPECT_EQ(hex(context_frame(target, AuthMethod::Simple, client_id())),
            "0000005d1a0802100018052210000102030405060708090a0b0c0d0e0f2801"
            "4112070a05616c6963651a36" +
                hex(kProtocol));
  const RpcRequestHeaderProto call = header(0, client_id(), 0);
  RequestHeaderProto request;
  request.set_methodname("getNewApplication");
  request.set_declaringclassprotocolname(kProtocol);
  request.set_clientprotocolversion(1);
  const RpcSaslProto empty_message = [] {
    RpcSaslProto negotiate;
    negotiate.set_state(RpcSaslProto::NEGOTIATE);
    return negotiate;
  }();
  const IpcConnectionContextProto nothing;
  EXPECT_EQ(hex(frame_of({&call, &request, &nothing})),
            "0000006a1a0802100018002210000102030405060708090a0b0c0d0e0f28004d0a11" +
                hex("getNewApplication") + "1236" + hex(kProtocol) + "180100");
  const RpcRequestHeaderProto ping = header(kPingId, client_id(), -1);
  EXPECT_EQ(hex(frame_of({&ping})),
            "0000001b1a0802100018072210000102030405060708090a0b0c0d0e0f2801");
  const RpcRequestHeaderProto sasl = header(kSaslId, "", -1);
  EXPECT_EQ(hex(frame_of({&sasl, &empty_message})), "0000000e0a08021000184122002801021001");
}

TEST(Context, NamesUsersAsTheAuthenticationAllows) {
  Target target{.protocol = {.name = "p"}, .identity = {.user = "bob", .real_user = "oozie"}};
  const auto user_of = [&](AuthMethod method) {
    const std::string frame = context_frame(target, method, client_id());
    FrameCursor cursor(std::string_view(frame).substr(4));
    RpcRequestHeaderProto head;
    IpcConnectionContextProto context;
    EXPECT_TRUE(cursor.take(head, "header").has_value());
    EXPECT_TRUE(cursor.take(context, "context").has_value());
    EXPECT_TRUE(cursor.expect_end("context").has_value());
    EXPECT_TRUE(context.has_userinfo());
    return context.userinfo().effectiveuser() + "/" + context.userinfo().realuser();
  };
  EXPECT_EQ(user_of(AuthMethod::Simple), "bob/oozie");
  EXPECT_EQ(user_of(AuthMethod::Kerberos), "bob/");
  EXPECT_EQ(user_of(AuthMethod::Token), "/");
  target.identity = {.user = "alice", .real_user = {}};
  EXPECT_EQ(user_of(AuthMethod::Simple), "alice/");
  EXPECT_EQ(user_of(AuthMethod::Kerberos), "/");  // The user is in the ticket.
}

TEST(FrameSplitter, PutsPiecesTogether) {
  const RpcRequestHeaderProto ping = header(kPingId, client_id(), -1);
  const std::string bytes = frame_of({&ping}) + frame_of({&ping});
  FrameSplitter splitter(1000);
  int frames = 0;
  for (const char byte : bytes) {
    splitter.feed({&byte, 1});
    auto next = splitter.next();
    ASSERT_TRUE(next.has_value());
    frames += next->has_value() ? 1 : 0;
  }
  EXPECT_EQ(frames, 2);
  EXPECT_FALSE(splitter.partial());
}

TEST(FrameSplitter, SaysWhatElseSpeaksThere) {
  const auto error = [](std::string_view bytes) {
    FrameSplitter splitter(1000);
    splitter.feed(bytes);
    return splitter.next().error();
  };
  EXPECT_NE(error("HTTP/1.1 404 Not Found").message.find("HTTP server"), std::string::npos);
  EXPECT_EQ(error("HTTP/1.1 404 Not Found").code, Errc::Corrupt);
  EXPECT_NE(error("\xff\xff\xff\xff").message.find("Hadoop 1"), std::string::npos);
  EXPECT_NE(error("SSH-2.0-x").message.find("SSH-2.0-x"), std::string::npos);
  EXPECT_EQ(error(std::string(4, '\0')).code, Errc::Corrupt);
  EXPECT_EQ(error(std::string("\0\0\x03\xe9", 4)).code, Errc::Corrupt);  // 1001.
}

TEST(FrameCursor, RefusesFramesCutAtEveryByte) {
  RpcResponseHeaderProto sent;
  sent.set_callid(7);
  sent.set_status(RpcResponseHeaderProto::SUCCESS);
  sent.set_errormsg("some text");
  const std::string frame = frame_of({&sent});
  const std::string_view payload = std::string_view(frame).substr(4);
  for (size_t size = 0; size < payload.size(); ++size) {
    FrameCursor cursor(payload.substr(0, size));
    RpcResponseHeaderProto read;
    EXPECT_EQ(cursor.take(read, "header").error().code, Errc::Corrupt) << size;
  }
  FrameCursor cursor(payload);
  RpcResponseHeaderProto read;
  EXPECT_TRUE(cursor.take(read, "header").has_value());
  EXPECT_EQ(read.callid(), 7U);
}

TEST(FrameCursor, PassesUnknownFieldsAndRefusesWhatIsMissing) {
  RpcResponseHeaderProto read;
  FrameCursor known(std::string_view("\x0a\x08\x07\x10\x00\xa2\x06\x03xyz", 11));
  EXPECT_TRUE(known.take(read, "header").has_value());
  FrameCursor missing(std::string_view("\x02\x08\x07", 3));
  EXPECT_EQ(missing.take(read, "header").error().code, Errc::Corrupt);
  FrameCursor more(std::string_view("\x04\x08\x07\x10\x00!", 6));
  EXPECT_TRUE(more.take(read, "header").has_value());
  EXPECT_EQ(more.expect_end("header").error().code, Errc::Corrupt);
}

TEST(Principal, MatchesHostsAndGlobs) {
  EXPECT_TRUE(principal_matches("nn/_HOST@X.ORG", "nn/nn1.x.org", "NN1.x.org"));
  EXPECT_FALSE(principal_matches("nn/_HOST@X.ORG", "nn/other.x.org", "nn1.x.org"));
  EXPECT_TRUE(principal_matches("nn/*.x.org", "nn/other.x.org", "nn1.x.org"));
  EXPECT_TRUE(principal_matches("*", "rm/a", "b"));
  EXPECT_FALSE(principal_matches("nn/?", "nn/ab", "b"));
  EXPECT_FALSE(principal_matches("", "nn/a", "a"));
}

}  // namespace
}  // namespace muster::hadoop::rpc
