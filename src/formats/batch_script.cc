#include "formats/batch_script.h"

#include <fmt/format.h>

#include <optional>

#include "formats/batch_flags.h"
#include "formats/job_codec.h"
#include "formats/json.h"
#include "formats/message.h"
#include "formats/problems.h"
#include "formats/spelling.h"
#include "formats/utf8.h"
#include "formats/yaml.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::string_view kSlurm = "#SBATCH";
constexpr std::string_view kOwn = "#HR";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_directive(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || is_space(line[word.size()]));
}

// The lines before the first command, with their numbers from 1.
template <class Each>
void each_head_line(std::string_view text, const Each& each) {
  int number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (!line.empty() && line[0] != '#') return;
    each(number, line);
  }
}

// Words as the shell would see them: quotes keep spaces, # begins a comment.
Result<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // of a word
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
      continue;
    }
    if (is_space(c)) {
      inside = false;
      continue;
    }
    if (c == '#' && !inside) break;
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '"' || c == '\'') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return base::fail("a quote is not closed");
  return words;
}

struct Found {
  const BatchFlag* flag = nullptr;
  std::string shown;
  std::string value;
  std::size_t words = 1;  // that it takes
};

Result<Found> find_flag(const std::vector<std::string>& words, std::size_t at) {
  using Takes = BatchFlag::Takes;
  const std::string& word = words[at];
  Found found{.shown = word};
  const bool is_long = word.starts_with("--");
  const std::size_t equals = is_long ? word.find('=') : std::string::npos;
  const std::string name = is_long ? word.substr(2, equals - 2) : "";
  if (!is_long && (word.size() < 2 || word[0] != '-')) {
    return base::fail(shown(word) + " is not a flag");
  }
  std::vector<std::string> names;
  for (const BatchFlag& flag : batch_flags()) {
    if (!flag.name.empty()) names.push_back("--" + std::string(flag.name));
    const bool is_it = is_long ? flag.name == name && !name.empty() : flag.letter == word[1];
    if (is_it) found.flag = &flag;
  }
  if (found.flag == nullptr) {
    const std::string wrong = is_long ? "--" + name : word.substr(0, 2);
    return base::fail(shown(wrong) + " is not a flag of sbatch" +
                      (is_long ? hint(wrong, names) : std::string()));
  }
  std::optional<std::string> attached;
  if (is_long && equals != std::string::npos) attached = word.substr(equals + 1);
  if (!is_long && word.size() > 2) attached = word.substr(2);
  const Takes takes = found.flag->takes;
  if (takes == Takes::kNothing && attached) {
    return base::fail(shown(word) + ": the flag takes no value");
  }
  if (takes == Takes::kValue && !attached) {
    if (at + 1 >= words.size()) return base::fail(shown(word) + ": a value is missing");
    attached = words[at + 1];
    found.shown += " " + *attached;
    found.words = 2;
  }
  found.value = attached.value_or("");
  return found;
}

class Reader {
 public:
  Reader(const std::string& path, const BatchOptions& options)
      : options_(options), problems_(path), path_(path) {}

  Result<BatchScript> read(const std::string& text) {
    if (find_bad_text(text) != std::string::npos)
      return base::fail(path_ + ": it is not UTF-8 text");
    request_.queue_source = options_.queue;
    request_.now = options_.now;
    if (!options_.time_zone.empty()) {
      const Result<TimeZone> zone = TimeZone::find(options_.time_zone);
      if (!zone) return base::fail("time zone: " + zone.error().message);
      request_.zone = *zone;
    }
    each_head_line(text, [&](int number, std::string_view line) {
      if (is_directive(line, kSlurm)) slurm_line(number, line.substr(kSlurm.size()));
      own_ += is_directive(line, kOwn) ? own_part(line) : "";
      own_ += '\n';
    });
    const Value own = own_keys();
    if (request_.job.job.empty()) request_.job.job = name_of_file();
    request_.job.run = text;
    model::Job job = batch_job(request_, result_.notes);
    result_.document = job_codec().write(job);
    for (std::size_t i = 0; i < own.keys.size(); ++i) {
      result_.document.set(own.keys[i], own.items[i]);
      result_.mapped.push_back({own.items[i].line, "#HR", said(own.keys[i])});
    }
    for (std::size_t i = 0; i < flags_.size(); ++i) describe(i);
    if (!problems_.empty()) return problems_.error();
    return std::move(result_);
  }

 private:
  void slurm_line(int number, std::string_view line) {
    const Result<std::vector<std::string>> words = words_of(line);
    if (!words) return problems_.add(number, "#SBATCH", words.error().message);
    if (words->size() == 1 && (*words)[0] == "hetjob") {
      return problems_.add(number, "#SBATCH", "a job of several parts is written as a job.yaml");
    }
    for (std::size_t at = 0; at < words->size();) {
      const Result<Found> found = find_flag(*words, at);
      if (!found) return problems_.add(number, "#SBATCH", found.error().message);
      take(number, *found);
      at += found->words;
    }
  }

  void take(int number, const Found& found) {
    const BatchFlag& flag = *found.flag;
    if (is_dropped(flag, options_.queue)) {
      const std::string why =
          flag.apply
              ? fmt::format("the queue is named by another flag (--queue-from {})", flag.name)
              : std::string(flag.why_dropped);
      result_.dropped.push_back({number, found.shown, why});
      return;
    }
    if (const Result<void> done = flag.apply(request_, found.value); !done) {
      return problems_.add(number, "#SBATCH --" + std::string(flag.name), done.error().message);
    }
    result_.mapped.push_back({number, found.shown, ""});
    flags_.push_back(&flag);
  }

  // Its place in the line stays, so that indentation means what it shows.
  static std::string own_part(std::string_view line) {
    line.remove_prefix(kOwn.size());
    if (!line.empty()) line.remove_prefix(1);
    return std::string(line);
  }

  Value own_keys() {
    if (own_.find_first_not_of('\n') == std::string::npos) return Value::map();
    const std::vector<Value> documents = parse_yaml(own_, problems_);
    if (documents.size() == 1 && documents[0].is_map()) return documents[0];
    if (problems_.empty()) problems_.add(0, "#HR", "keys of job.yaml are expected, as `tasks: 4`");
    return Value::map();
  }

  std::string name_of_file() const {
    std::string name = path_.substr(path_.rfind('/') + 1);
    return clean_name(name.substr(0, name.rfind('.')), "job");
  }

  std::string said(const std::string& key) const {
    const Value* const value = result_.document.find(key);
    return value == nullptr ? "" : key + ": " + print_json_line(*value);
  }

  // What the flag became, now that all of them are known.
  void describe(std::size_t index) {
    std::string& says = result_.mapped[index].says;
    for (const std::string_view key : flags_[index]->keys) {
      const std::string part = said(std::string(key));
      if (!part.empty()) says += (says.empty() ? "" : ", ") + part;
    }
    if (!says.empty()) return;
    const bool in_groups = result_.document.find("groups") != nullptr;
    says = in_groups ? said("groups") : "as it is without it";
  }

  const BatchOptions& options_;
  Problems problems_;
  std::string path_;
  BatchRequest request_;
  BatchScript result_;
  std::vector<const BatchFlag*> flags_;  // of result_.mapped, in order
  std::string own_;                      // what stands behind #HR, each on its own line
};

}  // namespace

bool is_batch_script(std::string_view text) {
  bool found = text.starts_with("#!");
  each_head_line(text, [&](int, std::string_view line) {
    if (is_directive(line, kSlurm) || is_directive(line, kOwn)) found = true;
  });
  return found;
}

Result<BatchScript> read_batch_script(const std::string& path, const std::string& text,
                                      const BatchOptions& options) {
  return Reader(path, options).read(text);
}

}  // namespace headroom::formats
