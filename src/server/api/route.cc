#include "server/api/route.h"

#include <algorithm>

namespace headroom::server::api {

namespace {

bool is_parameter(const std::string& segment) { return segment.starts_with('{'); }

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& wanted, const std::string& given) {
                      return is_parameter(wanted) ? !given.empty() : wanted == given;
                    });
}

}  // namespace

std::vector<std::string> segments_of(const std::string& path) {
  std::vector<std::string> segments;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    segments.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return segments;
}

void RouteTable::add(std::vector<Route> routes) {
  for (Route& route : routes) {
    segments_.push_back(segments_of(route.path));
    routes_.push_back(std::move(route));
  }
}

// A fixed segment goes before a parameter: the table lists such routes first.
RouteTable::Found RouteTable::find(const std::string& method,
                                   const std::vector<std::string>& path) const {
  Found found;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!matches(segments_[i], path)) continue;
    if (routes_[i].method != method) {
      found.other_methods.push_back(routes_[i].method);
      continue;
    }
    found.route = &routes_[i];
    for (std::size_t s = 0; s < path.size(); ++s) {
      if (is_parameter(segments_[i][s])) found.values.push_back(path[s]);
    }
    return found;
  }
  return found;
}

}  // namespace headroom::server::api
