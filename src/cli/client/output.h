// How lists and documents leave the program: tables for people, and JSON, JSON lines, YAML and CSV
// for programs, with the server's own field names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/client/client.h"
#include "cli/command.h"
#include "formats/value.h"

namespace headroom::cli {

struct OutputFlags {
  std::string form = "table";  // table, wide, json, jsonl, yaml, csv
  bool json = false;           // the same as -o json
  std::vector<std::string> columns;
  std::string sort;  // a column; with "-" before it, from the largest
  bool no_headers = false;

  bool is_table() const { return !json && (form == "table" || form == "wide"); }
};

// -o and --json; with `of_list` also --columns, --sort and --no-headers.
std::vector<Flag> output_flags(OutputFlags& flags, bool of_list);

struct ItemColumn {
  std::string key;    // as --columns names it: a field, or "a.b"
  std::string title;  // in capitals
  bool left = true;
  bool wide_only = false;                             // not in the usual table
  std::function<std::string(const Json&)> cell = {};  // empty: the field as it is
};

// The text of a list in the form that was asked for. An error: a column or a form that is not
// there, with the choices.
base::Result<std::string> items_text(const std::vector<ItemColumn>& columns, Listing listing,
                                     const OutputFlags& flags);

// Prints it. Returns an exit code. `nothing` is told on standard error when a table is empty.
int print_items(const std::vector<ItemColumn>& columns, Listing listing, const OutputFlags& flags,
                const std::string& nothing);

// A single document as JSON or YAML (jsonl: on one line).
std::string document_text(const Json& document, const OutputFlags& flags);

// Writes to standard output; a reader that went away (head) is no error.
int put(const std::string& text);

// "a.b" of a document; nullptr when it is not there.
const Json* field_at(const Json& document, const std::string& path);
// As a cell: texts without quotes, lists with commas, null as "-".
std::string cell_text(const Json* value);

formats::Value to_value(const Json& document);
Json to_json(const formats::Value& value);

}  // namespace headroom::cli
