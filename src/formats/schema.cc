#include "formats/schema.h"

namespace headroom::formats {

Value published_schema(const std::string& file, const Value& schema) {
  Value result =
      Value::map({{"$schema", Value::string("https://json-schema.org/draft/2020-12/schema")},
                  {"title", Value::string("Headroom " + file)},
                  {"$comment", Value::string("Made by `headroom lint --schema`; do not edit.")}});
  for (std::size_t i = 0; i < schema.keys.size(); ++i) result.set(schema.keys[i], schema.items[i]);
  return result;
}

}  // namespace headroom::formats
