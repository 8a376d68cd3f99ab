#include "net/http.h"

#include <gtest/gtest.h>

namespace muster::net {
namespace {

TEST(Http, ParsesARequestAtEveryCut) {
  const std::string text =
      "POST /token?x=1 HTTP/1.1\r\nHost: a\r\nContent-LENGTH:  5 \r\n\r\nhello";
  for (size_t cut = 0; cut < text.size(); ++cut) {
    const auto part = parse_http_request(std::string_view(text).substr(0, cut));
    ASSERT_TRUE(part.has_value()) << cut;
    EXPECT_FALSE(part->has_value()) << cut;
  }
  const auto whole = parse_http_request(text);
  ASSERT_TRUE(whole.has_value() && whole->has_value());
  EXPECT_EQ((*whole)->method, "POST");
  EXPECT_EQ((*whole)->target, "/token?x=1");
  EXPECT_EQ((*whole)->header("content-length"), "5");
  EXPECT_EQ((*whole)->header("cookie"), "");
  EXPECT_EQ((*whole)->body, "hello");
}

TEST(Http, RefusesWhatIsNone) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET / FTP/1.0\r\n\r\n"), std::string("GET /\r\n\r\n"),
        std::string("GET x HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        std::string(kHttpHeadMax, 'x')}) {
    EXPECT_FALSE(parse_http_request(text).has_value()) << text.substr(0, 60);
  }
}

TEST(Http, FormatsAnAnswer) {
  const std::string text =
      format_http_response({.status = 401, .headers = {{"X-A", "b"}}, .body = "no\n"});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 401 Unauthorized\r\n"));
  EXPECT_TRUE(text.ends_with("\r\n\r\nno\n"));
  EXPECT_NE(text.find("X-A: b\r\n"), std::string::npos);
  EXPECT_NE(text.find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(text.find("Content-Length: 3\r\n"), std::string::npos);
}

TEST(Http, KnowsWhereARequestEndsAndWhetherMoreMayCome) {
  const std::string first = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";
  const auto request = parse_http_request(first + "GET /next HTTP/1.1\r\n").value().value();
  EXPECT_EQ(request.size_bytes, first.size());
  EXPECT_TRUE(request.keep_alive);
  const auto keeps = [](const std::string& head) {
    return parse_http_request("GET / HTTP/1." + head + "\r\n\r\n").value().value().keep_alive;
  };
  EXPECT_FALSE(keeps("1\r\nConnection: Close"));
  EXPECT_FALSE(keeps("0"));
  EXPECT_TRUE(keeps("0\r\nConnection: Keep-Alive"));
}

}  // namespace
}  // namespace muster::net
