// Making HTML pages: escaping what comes from outside, and filling templates.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace headroom::cli {

// Text, safe between tags and inside a quoted attribute. Bytes that are no UTF-8 become "?".
std::string escape_html(std::string_view text);

// JSON, safe inside <script>: no "<", ">", "&" and no line separators of JavaScript.
std::string escape_script_json(std::string_view json);

// Replaces every {{name}} of the template by its value, in one pass: values are not searched again.
// A name that is not in `values` is a programmer's error.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace headroom::cli
