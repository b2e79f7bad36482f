// size_prices: what each size of GPU share costs, in GPUs.
//
// Pack a demand of shares into as few GPUs as possible (fractions of packings allowed); the price
// of a size is the part of a GPU that one more share of it costs in that packing. Sizes that fill
// GPUs up together with others are cheap; a size whose rest nobody needs pays for the rest too.
//
// Method   cutting stock by column generation (Gilmore and Gomory, "A Linear Programming
//          Approach to the Cutting-Stock Problem", Operations Research 1961): revised simplex
//          with an explicit inverse, the entering packing found by a knapsack. At most 400
//          pivots; the openb default list takes 37.
// Numbers  + - * / on double in a fixed order: the same result on every machine.
// Cost     O(pivots x sizes x (1000 + sizes)).
#pragma once

#include <vector>

namespace headroom::schedule {

struct SizeDemand {
  int milli = 0;       // 1..1000
  double devices = 0;  // shares of this size that are asked for, > 0
};

// One price for each size. No two sizes may be equal.
std::vector<double> size_prices(const std::vector<SizeDemand>& demand);

// best[g], g = 0..1000: the most that shares within g milli are worth at these prices (each size
// any number of times).
std::vector<double> best_fillings(const std::vector<SizeDemand>& demand,
                                  const std::vector<double>& prices);

}  // namespace headroom::schedule
