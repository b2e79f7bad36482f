#include "formats/json_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kMostKeys = 10'000;  // of one object: each is compared with all before it

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

class Parser {
 public:
  using OnItem = std::function<Result<void>(const Value&)>;

  Parser(const std::string& name, std::string_view text, int line)
      : name_(name), text_(text), line_(line) {}

  // Items of the list at this key of the outermost object go to the function.
  void hand_over(const std::string& key, const OnItem& on_item) {
    key_ = &key;
    on_item_ = &on_item;
  }

  Result<Value> parse() {
    Result<Value> value = parse_value(0);
    if (!value) return value;
    skip_space();
    if (at_ < text_.size()) return bad("text follows the end of the value");
    return value;
  }

 private:
  tl::unexpected<base::Error> bad(std::string_view what) const {
    if (at_ >= text_.size()) {
      return base::fail(fmt::format("{}:{}: the file ends in the middle of a value", name_, line_));
    }
    return base::fail(fmt::format("{}:{}: {}", name_, line_, what));
  }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    }
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    skip_space();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  Result<Value> parse_value(int depth) {
    skip_space();
    if (depth > kDeepest) return bad(fmt::format("values are nested deeper than {}", kDeepest));
    switch (peek()) {
      case '{':
        return parse_object(depth);
      case '[':
        return parse_list(depth, nullptr);
      case '"':
        return parse_text();
      default:
        return parse_word();
    }
  }

  Result<Value> parse_text() {
    Value value = Value::string("");
    value.line = line_;
    if (Result<void> done = take_text(value.text); !done) return tl::unexpected(done.error());
    return value;
  }

  // A number, true, false or null.
  Result<Value> parse_word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    Value value;
    if (word != "null") {
      if (word != "true" && word != "false" && !is_number(word)) {
        if (end == text_.size()) at_ = end;  // it may have been cut
        return bad(shown(word) + " is not a value (such as 42, \"text\", true or null)");
      }
      value = Value::plain(word);
    }
    value.line = line_;
    at_ = end;
    return value;
  }

  static bool is_number(std::string_view word) {
    const auto digits = [&] {
      const std::size_t count = std::min(word.find_first_not_of("0123456789"), word.size());
      word.remove_prefix(count);
      return count > 0;
    };
    if (word.starts_with('-')) word.remove_prefix(1);
    if (word.starts_with('0') && word.size() > 1 && word[1] >= '0' && word[1] <= '9') return false;
    if (!digits()) return false;
    if (word.starts_with('.')) {
      word.remove_prefix(1);
      if (!digits()) return false;
    }
    if (word.starts_with('e') || word.starts_with('E')) {
      word.remove_prefix(1);
      if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
      if (!digits()) return false;
    }
    return word.empty();
  }

  Result<void> take_text(std::string& out) {
    if (!take('"')) return bad("a text in double quotes is expected");
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of("\"\\\n", at_), text_.size());
      out += text_.substr(at_, end - at_);
      at_ = end;
      if (at_ == text_.size() || text_[at_] == '\n') break;
      if (text_[at_++] == '"') return {};
      if (Result<void> done = take_escape(out); !done) return done;
    }
    return bad("a text is not closed");
  }

  Result<void> take_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    const char letter = peek();
    if (letter == 'u') {
      std::uint32_t code = 0;
      if (!take_code(code)) return bad("\\u is not followed by four hexadecimal digits");
      if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
        std::uint32_t low = 0;
        const std::size_t before = at_++;
        if (take_code(low) && low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else {
          at_ = before;
        }
      }
      append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
      return {};
    }
    const std::size_t which = kLetters.find(letter);
    if (which == std::string_view::npos)
      return bad("\\ is followed by a letter that means nothing");
    ++at_;
    out += kMeaning[which];
    return {};
  }

  // "u" and four digits.
  bool take_code(std::uint32_t& code) {
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    if (digits.size() < 4) return false;
    for (const char c : digits) {
      constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
      const std::size_t which = kDigits.find(c);
      if (which == std::string_view::npos) return false;
      code = code * 16 + static_cast<std::uint32_t>(which % 16);
    }
    at_ += 5;
    return true;
  }

  Result<Value> parse_list(int depth, const OnItem* on_item) {
    Value list = Value::list();
    list.line = line_;
    ++at_;
    if (take(']')) return list;
    while (true) {
      Result<Value> item = parse_value(depth + 1);
      if (!item) return item;
      if (on_item == nullptr) {
        list.items.push_back(std::move(*item));
      } else if (Result<void> done = (*on_item)(*item); !done) {
        return tl::unexpected(done.error());
      }
      if (take(']')) return list;
      if (!take(',')) return bad("',' or ']' is expected");
    }
  }

  Result<Value> parse_object(int depth) {
    Value object = Value::map();
    object.line = line_;
    ++at_;
    if (take('}')) return object;
    while (true) {
      std::string key;
      if (Result<void> done = take_text(key); !done) return tl::unexpected(done.error());
      if (object.keys.size() == kMostKeys) return bad("the object has more than 10000 keys");
      if (object.find(key) != nullptr) return bad(shown(key) + " is there twice");
      const int key_line = line_;
      if (!take(':')) return bad("':' is expected");
      skip_space();
      const bool hand_over = key_ != nullptr && depth == 0 && key == *key_ && peek() == '[';
      Result<Value> value = hand_over ? parse_list(depth + 1, on_item_) : parse_value(depth + 1);
      if (!value) return value;
      value->key_line = key_line;
      object.keys.push_back(std::move(key));
      object.items.push_back(std::move(*value));
      if (take('}')) return object;
      if (!take(',')) return bad("',' or '}' is expected");
    }
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  const std::string* key_ = nullptr;
  const OnItem* on_item_ = nullptr;
};

}  // namespace

Result<Value> parse_json(const std::string& name, std::string_view text, int first_line) {
  return Parser(name, text, first_line).parse();
}

Result<Value> parse_json_items(const std::string& name, std::string_view text,
                               const std::string& key, const Parser::OnItem& on_item) {
  Parser parser(name, text, 1);
  parser.hand_over(key, on_item);
  return parser.parse();
}

}  // namespace headroom::formats
