#include "cli/client/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cli/table.h"
#include "cli/terminal.h"
#include "formats/json.h"
#include "formats/message.h"
#include "formats/spelling.h"
#include "formats/yaml.h"

namespace headroom::cli {

using base::Result;

namespace {

std::string cell_of(const ItemColumn& column, const Json& item) {
  return column.cell ? column.cell(item) : cell_text(field_at(item, column.key));
}

// Those that were asked for, else the usual ones. Any field of the items can be asked for.
Result<std::vector<ItemColumn>> chosen(const std::vector<ItemColumn>& columns,
                                       const std::vector<Json>& items, const OutputFlags& flags) {
  std::vector<ItemColumn> result;
  const bool all = flags.form != "table";
  for (const ItemColumn& column : columns) {
    if (flags.columns.empty() && (all || !column.wide_only)) result.push_back(column);
  }
  for (const std::string& asked : flags.columns) {
    const std::string key = formats::lower_case(asked);
    const auto known = std::find_if(columns.begin(), columns.end(), [&](const ItemColumn& one) {
      return one.key == key || formats::lower_case(one.title) == key;
    });
    if (known != columns.end()) {
      result.push_back(*known);
      continue;
    }
    const bool is_field = std::any_of(items.begin(), items.end(), [&](const Json& item) {
      return field_at(item, asked) != nullptr;
    });
    if (!is_field && !items.empty()) {
      std::vector<std::string> names;
      for (const ItemColumn& one : columns) names.push_back(one.key);
      return base::fail(fmt::format("--columns: there is no {}{}", formats::shown(asked),
                                    formats::hint(asked, names)));
    }
    std::string title = asked;
    for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    result.push_back({.key = asked, .title = title});
  }
  return result;
}

// Numbers by value, "10" behind "9"; what is not there comes last.
bool comes_before(const Json* a, const Json* b) {
  const bool has_a = a != nullptr && !a->is_null();
  const bool has_b = b != nullptr && !b->is_null();
  if (!has_a || !has_b) return has_a && !has_b;
  if (a->is_number() && b->is_number()) return a->get<double>() < b->get<double>();
  const std::string left = cell_text(a);
  const std::string right = cell_text(b);
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  };
  if (is_number(left) && is_number(right)) {
    return std::strtod(left.c_str(), nullptr) < std::strtod(right.c_str(), nullptr);
  }
  return left < right;
}

Result<void> sort_items(std::vector<Json>& items, const OutputFlags& flags) {
  if (flags.sort.empty()) return {};
  const bool reverse = flags.sort[0] == '-';
  const std::string key = flags.sort.substr(reverse ? 1 : 0);
  const bool is_field = std::any_of(
      items.begin(), items.end(), [&](const Json& item) { return field_at(item, key) != nullptr; });
  if (!is_field && !items.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : items[0].items()) names.push_back(name);
    return base::fail(fmt::format("--sort: there is no field {}{}", formats::shown(key),
                                  formats::hint(key, names)));
  }
  std::stable_sort(items.begin(), items.end(), [&](const Json& a, const Json& b) {
    const Json* const x = field_at(reverse ? b : a, key);
    const Json* const y = field_at(reverse ? a : b, key);
    return comes_before(x, y);
  });
  return {};
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// The fields as they are, not as people read them.
std::string csv_text(const std::vector<ItemColumn>& columns, const std::vector<Json>& items,
                     bool header) {
  std::string text;
  const auto line = [&](const auto& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + csv_cell(cell(columns[i]));
    }
    text += '\n';
  };
  if (header) line([](const ItemColumn& column) { return column.key; });
  for (const Json& item : items) {
    line([&](const ItemColumn& column) {
      const Json* const value = field_at(item, column.key);
      if (value == nullptr) return column.cell ? column.cell(item) : std::string();
      return value->is_null() ? "" : cell_text(value);
    });
  }
  return text;
}

std::string table_text(const std::vector<ItemColumn>& columns, const std::vector<Json>& items,
                       const OutputFlags& flags) {
  std::vector<Column> titles;
  for (const ItemColumn& column : columns) titles.push_back({column.title, column.left});
  Table table(titles);
  for (const Json& item : items) {
    std::vector<std::string> cells;
    for (const ItemColumn& column : columns) cells.push_back(cell_of(column, item));
    table.add_row(std::move(cells));
  }
  const Terminal terminal = inspect_terminal(1);
  const bool cut = terminal.is_terminal && flags.form == "table";
  return table.render({.width = cut ? terminal.width : 0,
                       .bold_header = terminal.colour,
                       .header = !flags.no_headers});
}

}  // namespace

std::vector<Flag> output_flags(OutputFlags& flags, bool of_list) {
  if (!of_list) {
    return {
        {"-o", "FORM", "how it is printed", &flags.form, false, {"table", "json", "jsonl", "yaml"}},
        {"--json", "", "the same as -o json", &flags.json}};
  }
  return {{"-o",
           "FORM",
           "how it is printed",
           &flags.form,
           false,
           {"table", "wide", "json", "jsonl", "yaml", "csv"}},
          {"--json", "", "the same as -o json", &flags.json},
          {"--columns", "NAME,...", "these columns; any field of the JSON form", &flags.columns},
          {"--sort", "FIELD", "by this field; -FIELD: from the largest", &flags.sort},
          {"--no-headers", "", "without the line of titles", &flags.no_headers}};
}

const Json* field_at(const Json& document, const std::string& path) {
  const Json* value = &document;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    if (!value->is_object()) return nullptr;
    const auto found = value->find(path.substr(at, end - at));
    if (found == value->end()) return nullptr;
    value = &*found;
    at = end + 1;
  }
  return value;
}

std::string cell_text(const Json* value) {
  if (value == nullptr || value->is_null()) return "-";
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_array()) return value->dump();
  std::string text;
  for (const Json& one : *value) text += (text.empty() ? "" : ",") + cell_text(&one);
  return text.empty() ? "-" : text;
}

formats::Value to_value(const Json& document) {
  using formats::Value;
  if (document.is_object()) {
    Value map = Value::map();
    for (const auto& [key, value] : document.items()) map.set(key, to_value(value));
    return map;
  }
  if (document.is_array()) {
    Value list = Value::list();
    for (const Json& one : document) list.items.push_back(to_value(one));
    return list;
  }
  if (document.is_string()) return Value::string(document.get<std::string>());
  return document.is_null() ? Value{} : Value::plain(document.dump());
}

Json to_json(const formats::Value& value) {
  return Json::parse(formats::print_json_line(value), nullptr, false);
}

std::string document_text(const Json& document, const OutputFlags& flags) {
  if (flags.form == "yaml" && !flags.json) return formats::print_yaml(to_value(document));
  const bool one_line = flags.form == "jsonl" && !flags.json;
  return document.dump(one_line ? -1 : 2) + "\n";
}

Result<std::string> items_text(const std::vector<ItemColumn>& columns, Listing listing,
                               const OutputFlags& flags) {
  if (Result<void> sorted = sort_items(listing.items, flags); !sorted) {
    return tl::unexpected(sorted.error());
  }
  const bool as_json = flags.json || flags.form == "json";
  if (as_json || flags.form == "yaml") {
    Json document = Json::object();
    document["items"] = std::move(listing.items);
    if (listing.rest.is_object()) document.update(listing.rest);
    return document_text(document, flags);
  }
  if (flags.form == "jsonl") {
    std::string text;
    for (const Json& item : listing.items) text += item.dump() + "\n";
    return text;
  }
  const auto shown = chosen(columns, listing.items, flags);
  if (!shown) return tl::unexpected(shown.error());
  if (flags.form == "csv") return csv_text(*shown, listing.items, !flags.no_headers);
  return table_text(*shown, listing.items, flags);
}

int put(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kOk;
  if (errno == EPIPE) return kOk;
  fmt::print(stderr, "headroom: the output cannot be written\n");
  return kFailed;
}

int print_items(const std::vector<ItemColumn>& columns, Listing listing, const OutputFlags& flags,
                const std::string& nothing) {
  if (listing.items.empty() && flags.is_table()) {
    fmt::print(stderr, "{}\n", nothing);
    return kOk;
  }
  const auto text = items_text(columns, std::move(listing), flags);
  if (!text) return fail_with({kUsage, text.error().message});
  return put(*text);
}

}  // namespace headroom::cli
