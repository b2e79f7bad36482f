#include "formats/scontrol_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/spelling.h"

namespace headroom::formats {

namespace {

// Adds the words of a line. What has no "=" goes on with the value before it ("OS=Linux 6.1 #1"),
// but for "Nodes = n1", where the blanks are dropped.
void add_words(std::string_view line, SlurmRecord& record) {
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) return;
    std::size_t end = at;
    for (bool quoted = false; end < line.size(); ++end) {
      if (line[end] == '"') quoted = !quoted;
      if (!quoted && (line[end] == ' ' || line[end] == '\t' || line[end] == '\r')) break;
    }
    const std::string_view word = line.substr(at, end - at);
    at = end;
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      std::string value(word.substr(equals + 1));
      std::erase(value, '"');
      record.words.emplace_back(word.substr(0, equals), std::move(value));
    } else if (!record.words.empty()) {
      std::string& last = record.words.back().second;
      last += (last.empty() ? "" : " ") + std::string(word);
    }
  }
}

// The lines of a text, with their numbers.
template <class OnLine>
void each_line(std::string_view text, const OnLine& on_line) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    on_line(line, number);
  }
}

}  // namespace

std::string_view SlurmRecord::find(std::string_view key) const {
  const std::string wanted = lower_case(key);
  for (const auto& [word, value] : words) {
    if (word.size() == key.size() && lower_case(word) == wanted) return value;
  }
  return "";
}

bool SlurmRecord::has(std::string_view key) const {
  const std::string wanted = lower_case(key);
  return std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return word.first.size() == key.size() && lower_case(word.first) == wanted;
  });
}

std::vector<SlurmRecord> read_scontrol_records(const std::string& name, std::string_view text) {
  std::vector<SlurmRecord> records;
  bool is_open = false;
  each_line(text, [&](std::string_view line, int number) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    const bool begins = line.front() != ' ' && line.front() != '\t';
    if (begins || !is_open) records.push_back({.place = fmt::format("{}:{}", name, number)});
    is_open = true;
    add_words(line, records.back());
  });
  return records;
}

std::vector<SlurmRecord> read_conf_records(const std::string& name, std::string_view text) {
  std::vector<SlurmRecord> records;
  std::string whole;
  int first = 0;
  const auto finish = [&] {
    if (whole.find_first_not_of(" \t") != std::string::npos) {
      records.push_back({.place = fmt::format("{}:{}", name, first)});
      add_words(whole, records.back());
      if (records.back().words.empty()) records.pop_back();
    }
    whole.clear();
  };
  each_line(text, [&](std::string_view line, int number) {
    if (whole.empty()) first = number;
    // A comment, unless the # is escaped.
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] != '#' || (at > 0 && line[at - 1] == '\\')) continue;
      line = line.substr(0, at);
      break;
    }
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    whole += line;
    if (goes_on) {
      whole += ' ';
    } else {
      finish();
    }
  });
  finish();
  return records;
}

}  // namespace headroom::formats
