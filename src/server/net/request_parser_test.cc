#include "server/net/request_parser.h"

#include <gtest/gtest.h>

namespace headroom::server::net {
namespace {

using Stage = RequestParser::Stage;

struct Parsed {
  int status = 0;  // 0: a whole request
  std::string body;
  std::size_t used = 0;
};

// Feeds it in pieces of a size, as a connection does.
Parsed parse(std::string_view bytes, std::size_t piece, std::size_t head_limit = 16 << 10,
             std::uint64_t body_limit = 1 << 20) {
  RequestParser parser(head_limit);
  std::string unread;
  std::size_t at = 0;
  Parsed parsed;
  bool in_body = false;
  while (parser.stage() != Stage::kDone && parser.stage() != Stage::kFailed) {
    const std::size_t used = parser.feed(unread);
    unread.erase(0, used);
    parsed.used += used;
    if (parser.stage() == Stage::kBody && !in_body) {
      in_body = true;
      parser.set_body_limit(body_limit);
      continue;
    }
    if (used > 0) continue;
    if (parser.stage() == Stage::kDone || parser.stage() == Stage::kFailed) break;
    if (at == bytes.size()) return {.status = -1};  // wants more
    unread.append(bytes.substr(at, piece));
    at += std::min(piece, bytes.size() - at);
  }
  if (parser.stage() == Stage::kFailed) {
    parsed.status = parser.problem().status;
  } else {
    parsed.body = parser.take_body();
  }
  return parsed;
}

int status(const std::string& bytes) {
  const int whole = parse(bytes, bytes.size()).status;
  EXPECT_EQ(parse(bytes, 1).status, whole) << bytes;
  return whole;
}

const std::string kPost = "POST /x HTTP/1.1\r\nHost: h\r\n";

TEST(RequestParser, IsTheSameInWhateverPiecesItComes) {
  const std::string by_length = kPost + "Content-Length: 10\r\n\r\n0123456789";
  const std::string in_chunks =
      kPost + "Transfer-Encoding: Chunked\r\n\r\n4;x=y\r\n0123\r\n6\r\n456789\r\n0\r\nT: 1\r\n\r\n";
  for (std::size_t piece = 1; piece < 120; ++piece) {
    for (const std::string& bytes : {by_length, in_chunks}) {
      const Parsed parsed = parse(bytes + "GET", piece);
      EXPECT_EQ(parsed.status, 0);
      EXPECT_EQ(parsed.body, "0123456789");
      EXPECT_EQ(parsed.used, bytes.size());  // not a byte of the next request
    }
  }
}

// An empty body once ended the program: an assertion in Beast, found by fuzzing.
TEST(RequestParser, AnEmptyBodyInChunksComesInPieces) {
  const std::string head = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string body : {"0\r\n\r\n", "0;x=y\r\n\r\n", "0\r\nT: 1\r\n\r\n", "00\r\n\r\n"}) {
    for (std::size_t piece = 1; piece < head.size() + 10; ++piece) {
      EXPECT_EQ(parse(head + body, piece).status, 0);
    }
  }
}

TEST(RequestParser, RefusesWhatTwoReadersCouldTakeForDifferentRequests) {
  EXPECT_EQ(status(kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: 3, 3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: +3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: -3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: 0x3\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Content-Length : 3\r\n\r\nabc"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: gzip\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: xchunked\r\n\r\n"), 400);
  EXPECT_EQ(status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"), 400);
  const std::string bare = "GET / HTTP/1.1\nHost: h\n\n";  // byte by byte it waits for a CR
  EXPECT_EQ(parse(bare, bare.size()).status, 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 0);
}

TEST(RequestParser, RefusesWhatIsNotHttp) {
  EXPECT_EQ(status("\x16\x03\x01\x02"), 400);  // TLS
  EXPECT_EQ(status(" GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1 \r\n\r\n"), 400);
  EXPECT_EQ(status("GET /\x01 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: h\r\nA: \x01\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/2.0\r\n\r\n"), 400);
  EXPECT_EQ(status("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400);
  EXPECT_EQ(status(kPost + "Expect: magic\r\n\r\n"), 417);
}

TEST(RequestParser, KeepsToItsLimits) {
  const std::string head =
      "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(1'000, 'a') + "\r\n\r\n";
  EXPECT_EQ(parse(head, 7, head.size()).status, 0);
  EXPECT_EQ(parse(head, 7, 900).status, 431);
  EXPECT_EQ(parse(head, 7'000, 900).status, 431);
  EXPECT_EQ(parse("GET /" + std::string(1'000, 'a'), 7, 900).status, 431);
  const std::string body = kPost + "Content-Length: 100\r\n\r\n" + std::string(100, 'x');
  EXPECT_EQ(parse(body, 7, 900, 100).status, 0);
  EXPECT_EQ(parse(body, 7, 900, 99).status, 413);
  EXPECT_EQ(parse(kPost + "Content-Length: 100\r\n\r\n", 7, 900, 99).status, 413);  // at once
  const std::string chunks = kPost + "Transfer-Encoding: chunked\r\n\r\n32\r\n" +
                             std::string(50, 'x') + "\r\n32\r\n" + std::string(50, 'x') +
                             "\r\n0\r\n\r\n";
  EXPECT_EQ(parse(chunks, 7, 900, 100).status, 0);
  EXPECT_EQ(parse(chunks, 7, 900, 99).status, 413);
  EXPECT_EQ(parse(kPost + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 7).status, 413);
}

}  // namespace
}  // namespace headroom::server::net
