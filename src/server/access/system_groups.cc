#include <grp.h>
#include <pwd.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "server/access/gate.h"

namespace headroom::server::access {

namespace {

constexpr std::chrono::seconds kRemembered{60};
constexpr std::size_t kMostRemembered = 10'000;
constexpr std::size_t kBuffer = 64 << 10;

std::string group_name(gid_t id) {
  std::vector<char> buffer(kBuffer);
  group entry{};
  group* found = nullptr;
  if (getgrgid_r(id, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return std::to_string(id);
  }
  return found->gr_name;
}

std::vector<std::string> ask_system(const std::string& user) {
  std::vector<char> buffer(kBuffer);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return {};
  }
  int count = 256;
  std::vector<gid_t> ids(static_cast<std::size_t>(count));
  if (getgrouplist(user.c_str(), found->pw_gid, ids.data(), &count) < 0) {
    ids.resize(static_cast<std::size_t>(count));
    getgrouplist(user.c_str(), found->pw_gid, ids.data(), &count);
  }
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(group_name(ids[static_cast<std::size_t>(i)]));
  return names;
}

struct Known {
  using Time = std::chrono::steady_clock::time_point;
  std::mutex lock;
  std::map<std::string, std::pair<Time, std::vector<std::string>>> groups;
};

}  // namespace

GroupsOf system_groups() {
  return [known = std::make_shared<Known>()](const std::string& user) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard guard(known->lock);
    const auto found = known->groups.find(user);
    if (found != known->groups.end() && now - found->second.first < kRemembered) {
      return found->second.second;
    }
    if (known->groups.size() > kMostRemembered) known->groups.clear();
    auto& entry = known->groups[user];
    entry = {now, ask_system(user)};
    return entry.second;
  };
}

}  // namespace headroom::server::access
