#include "net/http_codec.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::net {
namespace {

Result<std::optional<HttpRequest>> read_request(std::string_view text) {
  HttpRequestReader reader;
  reader.feed(text);
  return reader.next();
}

TEST(HttpRequestReader, ReadsARequestWhateverItsPieces) {
  const std::string text =
      "POST /token?x=1 HTTP/1.1\r\nHost: a\r\nContent-LENGTH:  5 \r\n\r\nhello";
  for (size_t cut = 0; cut < text.size(); ++cut) {
    HttpRequestReader reader;
    reader.feed(std::string_view(text).substr(0, cut));
    const auto part = reader.next();
    ASSERT_TRUE(part.has_value()) << cut << part.error().message;
    EXPECT_FALSE(part->has_value()) << cut;
    reader.feed(std::string_view(text).substr(cut));
    const auto whole = reader.next();
    ASSERT_TRUE(whole.has_value() && whole->has_value()) << cut;
    EXPECT_EQ((*whole)->method, "POST");
    EXPECT_EQ((*whole)->target, "/token?x=1");
    EXPECT_EQ((*whole)->header("content-length"), "5");
    EXPECT_EQ((*whole)->header("cookie"), "");
    EXPECT_EQ((*whole)->body, "hello");
  }
}

TEST(HttpRequestReader, ReadsABodyInChunks) {
  const auto request = read_request(
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n"
      "Trailer: x\r\n\r\n");
  ASSERT_TRUE(request.has_value() && request->has_value());
  EXPECT_EQ((*request)->body, "abcde");
  EXPECT_EQ((*request)->header("trailer"), "");
}

TEST(HttpRequestReader, RefusesWhatIsNone) {
  std::string many_headers = "GET / HTTP/1.1\r\n";
  for (size_t count = 0; count <= kHttpHeadersMax + 1; ++count) {
    many_headers += "A: b\r\n";
  }
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string long_extensions = chunked;
  for (int count = 0; count < 100; ++count) {
    long_extensions += "1;" + std::string(4000, 'x') + "\r\na\r\n";
  }
  for (const std::string& text :
       {std::string("\r\n\r\n"),
        std::string("GET / FTP/1.0\r\n\r\n"),
        std::string("GET /\r\n\r\n"),
        std::string("GET x HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nA : b\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: identity\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na"),
        chunked + "zz\r\n",
        chunked + "fffffffffffffffff\r\n",
        chunked + "20000\r\n" + std::string(0x20000, 'a'),
        chunked + std::string(9000, '1'),
        long_extensions,
        many_headers,
        "GET / HTTP/1.1\r\nX: " + std::string(kHttpHeadMax, 'x'),
        std::string(kHttpHeadMax + 1, 'x')}) {
    EXPECT_FALSE(read_request(text).has_value()) << text.substr(0, 80);
  }
}

TEST(HttpRequestReader, KnowsWhereARequestEndsAndWhetherMoreMayCome) {
  HttpRequestReader reader;
  reader.feed("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET /next HTTP/1.1\r\n");
  const auto request = reader.next().value().value();
  EXPECT_TRUE(request.keep_alive);
  EXPECT_TRUE(reader.has_rest());
  EXPECT_EQ(reader.take_rest(), "GET /next HTTP/1.1\r\n");
  const auto keeps = [](const std::string& head) {
    return read_request("GET / HTTP/1." + head + "\r\n\r\n").value().value().keep_alive;
  };
  EXPECT_FALSE(keeps("1\r\nConnection: Close"));
  EXPECT_FALSE(keeps("0"));
  EXPECT_TRUE(keeps("0\r\nConnection: Keep-Alive"));
}

TEST(HttpRequestReader, AsksByTheHeadHowLongABodyMayBe) {
  int asked = 0;
  HttpRequestReader reader([&asked](const HttpRequest& head) {
    ++asked;
    return head.header("cookie") == "known" ? size_t{8} : size_t{4};
  });
  reader.feed("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(reader.next().value().has_value());
  EXPECT_EQ(asked, 0);
  reader.feed("POST / HTTP/1.1\r\nCookie: known\r\nContent-Length: 8\r\n\r\n12345678");
  EXPECT_EQ(reader.next().value().value().body, "12345678");
  // Before the body has come, and again for each request.
  reader.feed("POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n");
  const auto refused = reader.next();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "malformed HTTP request: body too long");
  HttpRequestReader chunks([](const HttpRequest&) { return size_t{4}; });
  chunks.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n");
  EXPECT_FALSE(chunks.next().has_value());
}

TEST(HttpRequestReader, TellsWhichProtocolIsWished) {
  const auto asked = [](const std::string& headers) {
    return read_request("GET / HTTP/1.1\r\n" + headers + "\r\n\r\n").value().value().upgrade;
  };
  EXPECT_EQ(asked("Connection: keep-alive, Upgrade\r\nUpgrade: websocket"), "websocket");
  EXPECT_EQ(asked("Upgrade: websocket"), "");
}

constexpr std::string_view kWhole =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view kChunked =
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";

TEST(HttpResponseReader, ReadsAResponseWhateverItsPieces) {
  for (const auto text : {kWhole, kChunked}) {
    for (size_t size = 1; size <= text.size(); ++size) {
      HttpResponseReader reader;
      std::string body;
      for (size_t at = 0; at < text.size(); at += size) {
        EXPECT_FALSE(reader.is_whole());
        ASSERT_TRUE(reader.feed(text.substr(at, size)).has_value()) << size << " " << at;
        body += reader.take_body();
      }
      EXPECT_TRUE(reader.is_whole());
      EXPECT_EQ(reader.head().status, 200);
      EXPECT_EQ(body, text == kWhole ? "{}" : "abc0123456789");
    }
  }
}

TEST(HttpResponseReader, WithoutLengthEndsWithItsConnection) {
  HttpResponseReader reader;
  ASSERT_TRUE(reader.feed("HTTP/1.0 404 Not Found\r\n\r\nno such page").has_value());
  EXPECT_FALSE(reader.is_whole());
  ASSERT_TRUE(reader.end().has_value());
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(reader.head().status, 404);
  EXPECT_EQ(reader.take_body(), "no such page");
}

TEST(HttpResponseReader, ReadsOneThatSaysThatItIsNotPacked) {
  HttpResponseReader reader;
  ASSERT_TRUE(reader
                  .feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n"
                        "Content-Length: 2\r\n\r\nok")
                  .has_value());
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(reader.take_body(), "ok");
}

TEST(HttpResponseReader, WhatIsNoneIsSaidToBeNone) {
  for (const std::string_view bytes :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 two OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok", ""}) {
    HttpResponseReader reader;
    const auto fed = reader.feed(bytes);
    const auto ended = fed.has_value() ? reader.end() : fed;
    ASSERT_FALSE(ended.has_value()) << bytes;
    EXPECT_EQ(ended.error().code, Errc::Corrupt);
  }
}

TEST(HttpFormat, WritesAnAnswer) {
  const std::string text = format_http_response(
      {.status = 401, .headers = {{"X-A", "b"}, {"X-B", "c\r\nX-Evil: d"}}, .body = "no\n"});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 401 Unauthorized\r\n")) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\nno\n"));
  EXPECT_NE(text.find("X-A: b\r\n"), std::string::npos);
  EXPECT_EQ(text.find("X-Evil"), std::string::npos);
  EXPECT_NE(text.find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(text.find("Content-Length: 3\r\n"), std::string::npos);
  const std::string bare = format_http_response({.status = 204, .content_type = "", .headers = {}});
  EXPECT_TRUE(bare.starts_with("HTTP/1.1 204 No Content\r\n")) << bare;
  EXPECT_EQ(bare.find("\r\nContent-"), std::string::npos) << bare;
  EXPECT_EQ(format_http_chunk("hello world"), "b\r\nhello world\r\n");
  EXPECT_EQ(format_http_chunk(""), "0\r\n\r\n");
}

}  // namespace
}  // namespace muster::net
