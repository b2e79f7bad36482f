#include "formats/job_yaml.h"

#include <fmt/format.h>

#include "formats/job_codec.h"
#include "formats/json_parser.h"
#include "formats/schema.h"
#include "formats/yaml.h"

namespace headroom::formats {

using base::Result;
using model::Job;

namespace {

Result<std::vector<Job>> read_documents(const std::vector<Value>& documents, Problems& problems,
                                        const Known& known) {
  Context context(problems, known);
  std::vector<Job> jobs;
  const auto read = [&](const Value& value) {
    job_codec().read(value, context, jobs.emplace_back());
  };
  for (const Value& document : documents) {
    if (!document.is_list()) {
      read(document);
      continue;
    }
    for (std::size_t i = 0; i < document.items.size(); ++i) {
      const Context::Inside inside(context, fmt::format("[{}]", i));
      read(document.items[i]);
    }
  }
  if (problems.empty() && jobs.empty()) problems.add(0, "", "there is no job in the file");
  if (!problems.empty()) return problems.error();
  return jobs;
}

}  // namespace

Result<std::vector<Job>> read_job_yaml(const std::string& name, const std::string& text,
                                       const Known& known) {
  Problems problems(name);
  const std::vector<Value> documents = parse_yaml(text, problems);
  return read_documents(documents, problems, known);
}

Result<std::vector<Job>> read_job_json(const std::string& name, const std::string& text,
                                       const Known& known) {
  auto document = parse_json(name, text);
  if (!document) return tl::unexpected(document.error());
  Problems problems(name);
  return read_documents({std::move(*document)}, problems, known);
}

std::string write_job_yaml(const std::vector<Job>& jobs) {
  std::string text;
  for (const Job& job : jobs) {
    if (!text.empty()) text += "---\n";
    text += print_yaml(job_codec().write(job));
  }
  return text;
}

Value job_schema() { return published_schema("job.yaml", job_codec().schema); }

}  // namespace headroom::formats
