#include "formats/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "formats/message.h"
#include "formats/utf8.h"

namespace headroom::formats {

namespace {

constexpr std::size_t kDeepest = 24;
constexpr std::size_t kMostValues = 1'000'000;
constexpr int kMostUnclosed = 10'000;
constexpr std::size_t kMostKeys = 1000;  // of one map: none of ours has more, and finding
                                         // duplicates is quadratic

// What stops the parser at once.
struct Refused {
  int line;
  std::string what;
};

// Builds values from the parser's events.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(Problems& problems) : problems_(problems) {}

  std::vector<Value> take_documents() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { finish(at(mark)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark.line + 1, "aliases (*name) are not allowed"};
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    throw Refused{mark.line + 1, "anchors (&name) are not allowed"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    if (tag != "?" && tag != "!") refuse_tag(mark, tag);
    Value value = at(mark);
    value.kind = Value::Kind::kScalar;
    value.text = text;
    value.is_text = tag == "!";
    finish(std::move(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, Value::Kind::kList);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, Value::Kind::kMap);
  }
  void OnMapEnd() override { end(); }

 private:
  // A list or map that is not complete yet.
  struct Open {
    Value value;
    bool has_key = false;
    bool is_duplicate = false;
    int key_line = 0;
  };

  static Value at(const YAML::Mark& mark) {
    Value value;
    value.line = mark.line + 1;
    return value;
  }
  [[noreturn]] static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    throw Refused{mark.line + 1, "tags (" + shown(tag) + ") are not allowed"};
  }

  void start(const YAML::Mark& mark, const std::string& tag, Value::Kind kind) {
    if (tag != "?" && tag != "!" && !tag.empty()) refuse_tag(mark, tag);
    if (open_.size() == kDeepest) {
      throw Refused{mark.line + 1, fmt::format("nested more than {} deep", kDeepest)};
    }
    if (!open_.empty() && open_.back().value.is_map() && !open_.back().has_key) {
      throw Refused{mark.line + 1, "a key must be a word, not a list or a map"};
    }
    Open opened{.value = at(mark)};
    opened.value.kind = kind;
    open_.push_back(std::move(opened));
  }

  void end() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    finish(std::move(value));
  }

  // A value is complete: it is a document, an item, a key or the value of a key.
  void finish(Value value) {
    if (++values_ > kMostValues) {
      throw Refused{value.line, fmt::format("more than {} values", kMostValues)};
    }
    if (open_.empty()) {
      documents_.push_back(std::move(value));
      return;
    }
    Open& parent = open_.back();
    if (parent.value.is_list()) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      take_key(parent, value);
    } else {
      take_value(parent, std::move(value));
    }
  }

  void take_key(Open& parent, const Value& key) {
    if (!key.is_scalar()) throw Refused{key.line, "a key must be a word"};
    std::vector<std::string>& keys = parent.value.keys;
    const auto found = std::find(keys.begin(), keys.end(), key.text);
    parent.is_duplicate = found != keys.end();
    if (parent.is_duplicate) {
      const int first = parent.value.items[static_cast<std::size_t>(found - keys.begin())].key_line;
      problems_.add(
          key.line, "",
          fmt::format("key {} is there twice (first in line {})", shown(key.text), first));
    } else {
      if (keys.size() == kMostKeys) {
        throw Refused{key.line, fmt::format("more than {} keys in one map", kMostKeys)};
      }
      keys.push_back(key.text);
    }
    parent.has_key = true;
    parent.key_line = key.line;
  }

  static void take_value(Open& parent, Value value) {
    parent.has_key = false;
    if (parent.is_duplicate) return;
    value.key_line = parent.key_line;
    // An empty value has the line of what follows; its key's is what a reader looks for.
    if (value.kind == Value::Kind::kNull) value.line = parent.key_line;
    parent.value.items.push_back(std::move(value));
  }

  Problems& problems_;
  std::vector<Value> documents_;
  std::vector<Open> open_;
  std::size_t values_ = 0;
};

int line_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

// yaml-cpp 0.7 scans a bracket to its end before it reports the beginning, and needs 200 bytes for
// each one that is open: 16 MB of [ would take 4 GB before our own limit on nesting is asked. So
// the brackets that are open are counted first, whatever they stand in. Returns the position of the
// one that is too many, or npos.
std::size_t find_too_many_brackets(std::string_view text) {
  int unclosed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') ++unclosed;
    if (text[i] == ']' || text[i] == '}') unclosed = std::max(unclosed - 1, 0);
    if (unclosed > kMostUnclosed) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<Value> parse_yaml(const std::string& text, Problems& problems) {
  if (const std::size_t bad = find_bad_text(text); bad != std::string::npos) {
    problems.add(line_of(text, bad), "",
                 fmt::format("byte {:#04x} is not text (UTF-8 is expected)",
                             static_cast<unsigned char>(text[bad])));
    return {};
  }
  if (const std::size_t bad = find_too_many_brackets(text); bad != std::string::npos) {
    problems.add(line_of(text, bad), "", fmt::format("more than {} open brackets", kMostUnclosed));
    return {};
  }
  Builder builder(problems);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    problems.add(refused.line, "", refused.what);
    return {};
  } catch (const YAML::Exception& failure) {
    problems.add(failure.mark.line + 1, "", "this is not YAML: " + failure.msg);
    return {};
  }
  return builder.take_documents();
}

}  // namespace headroom::formats
