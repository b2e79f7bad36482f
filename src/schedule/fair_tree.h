// fair_tree: the order of users by Slurm's Fair Tree.
//
// Source  Slurm manual, "Fair Tree Fairshare Algorithm".
// Rule    Level fair share = share among its siblings ÷ part of their usage. From the top down, the
//         association with the largest first: a user gets the next rank, an account is entered, so
//         that all users of the better served of two accounts come behind all of the other's. A
//         user's fair-share factor is rank ÷ number of users.
// Ties    Users that tie have the same rank. Accounts that tie are entered together, as if their
//         children were siblings. A user that ties with an account has the rank of its first user.
// Cost    O(n log n).
#pragma once

#include <cstdint>
#include <vector>

namespace headroom::schedule {

// A user in an account, or an account.
struct Association {
  std::int32_t account = -1;  // index of the one above it; -1: at the top
  bool user = false;
  std::int64_t shares = 1;
  std::int64_t usage = 0;  // of an account: of all below it
};

// Millionths by association; 0 for accounts.
std::vector<std::int64_t> fair_tree_factors(const std::vector<Association>& associations);

}  // namespace headroom::schedule
