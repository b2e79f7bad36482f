// Small JSON Schemas for the API's documents. That of a job's own keys is made by its reader
// (formats/job_yaml.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/value.h"

namespace headroom::server::api {

struct Member {
  std::string name;
  formats::Value schema;
  std::string says;
  bool always = true;  // false: left out where there is nothing to say
};

formats::Value text();
formats::Value text_one_of(const std::vector<std::string>& values);
formats::Value whole();   // int64
formats::Value number();  // with decimals
formats::Value flag();    // true or false
formats::Value moment();  // RFC 3339
formats::Value list_of(formats::Value items);
formats::Value object(const std::vector<Member>& members);
formats::Value reference(const std::string& name);  // to components/schemas
// {"items": […], "continue": "…"}
formats::Value page_of(const std::string& name);

// components/schemas of the API.
formats::Value all_schemas();

}  // namespace headroom::server::api
