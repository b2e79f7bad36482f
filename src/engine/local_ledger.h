// LocalLedger: the names of the allocations that were launched, durable before anything of them is
// started; a line each, and one flush for a whole batch. What a power cut leaves of an allocation's
// own folder is not certain, so after it the ledger says what may have run.
//
//   1041-2 7 5f0c…      launched, epoch 7, in this boot of the machine
//   1041-2              forgotten
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/posix.h"

namespace headroom::engine {

class LocalLedger {
 public:
  struct Entry {
    std::uint64_t epoch = 0;
    std::string boot;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Entries = std::map<std::string, Entry>;  // by the allocation's name

  // Reads what is there (a torn last line does not count) and writes it anew without what was
  // forgotten.
  base::Result<void> open(std::string path);
  const Entries& entries() const { return entries_; }

  // Durable on return, or an error and none of them.
  base::Result<void> add(const std::vector<std::pair<std::string, Entry>>& launched);
  // Not durable: at worst an end is reported once more.
  void forget(const std::string& name);

 private:
  base::Result<void> rewrite();
  base::Result<void> append(const std::string& lines, bool durable);

  std::string path_;
  Fd file_;
  std::size_t size_ = 0;
  Entries entries_;
};

}  // namespace headroom::engine
