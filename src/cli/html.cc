#include "cli/html.h"

#include <algorithm>

#include "base/assert.h"
#include "cli/text.h"

namespace headroom::cli {

std::string escape_html(std::string_view text) {
  std::string result;
  for (char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string escape_script_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size(); ++at) {
    const std::string_view rest = json.substr(at, 3);
    if (json[at] == '<') {
      result += "\\u003c";
    } else if (json[at] == '>') {
      result += "\\u003e";
    } else if (json[at] == '&') {
      result += "\\u0026";
    } else if (rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9") {  // U+2028, U+2029
      result += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      result += json[at];
    }
  }
  return result;
}

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t open = text.find("{{");
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find("}}", open);
    HEADROOM_ASSERT(close != std::string_view::npos);
    const auto found = values.find(std::string(text.substr(open + 2, close - open - 2)));
    HEADROOM_ASSERT(found != values.end());
    result += text.substr(0, open);
    result += found->second;
    text.remove_prefix(close + 2);
  }
  result += text;
  return result;
}

}  // namespace headroom::cli
