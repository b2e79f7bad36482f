#include "schedule/cutting_stock.h"

#include <algorithm>

#include "schedule/device.h"

namespace headroom::schedule {

namespace {

constexpr int kMostPivots = 400;
constexpr double kSame = 1e-9;  // differences below are rounding

// The packings in use: column i of `inverse` belongs to packing i, `amount` says how many GPUs are
// packed that way.
class Packings {
 public:
  explicit Packings(const std::vector<SizeDemand>& demand)
      : demand_(demand),
        inverse_(demand.size(), std::vector<double>(demand.size(), 0.0)),
        amount_(demand.size()) {
    // To begin with, a packing for each size that holds nothing else.
    for (std::size_t j = 0; j < demand.size(); ++j) {
      const int fit = kDeviceMilli / demand[j].milli;
      inverse_[j][j] = 1.0 / fit;
      amount_[j] = demand[j].devices * inverse_[j][j];
    }
  }

  std::vector<double> prices() const {
    std::vector<double> prices(demand_.size(), 0.0);
    for (const auto& row : inverse_) {
      for (std::size_t j = 0; j < row.size(); ++j) prices[j] += row[j];
    }
    return prices;
  }

  // Takes a better packing (shares of each size) into use, in place of the one that it displaces
  // first. False when it displaces none.
  bool enter(const std::vector<double>& packing) {
    const std::size_t sizes = demand_.size();
    std::vector<double> column(sizes, 0.0);
    std::size_t leave = sizes;
    double ratio = 0;
    for (std::size_t i = 0; i < sizes; ++i) {
      for (std::size_t j = 0; j < sizes; ++j) column[i] += inverse_[i][j] * packing[j];
      if (column[i] <= kSame) continue;
      if (leave == sizes || amount_[i] / column[i] < ratio - kSame / 1000) {
        leave = i;
        ratio = amount_[i] / column[i];
      }
    }
    if (leave == sizes) return false;
    pivot(leave, column, ratio);
    return true;
  }

 private:
  void pivot(std::size_t leave, const std::vector<double>& column, double ratio) {
    const std::size_t sizes = demand_.size();
    for (std::size_t i = 0; i < sizes; ++i) {
      if (i != leave) amount_[i] -= column[i] * ratio;
    }
    amount_[leave] = ratio;
    for (double& cell : inverse_[leave]) cell /= column[leave];
    for (std::size_t i = 0; i < sizes; ++i) {
      if (i == leave || column[i] == 0.0) continue;
      for (std::size_t j = 0; j < sizes; ++j) inverse_[i][j] -= column[i] * inverse_[leave][j];
    }
  }

  const std::vector<SizeDemand>& demand_;
  std::vector<std::vector<double>> inverse_;
  std::vector<double> amount_;
};

// The shares in the best filling of a whole GPU.
std::vector<double> packing_of(const std::vector<SizeDemand>& demand,
                               const std::vector<double>& prices, const std::vector<double>& best) {
  std::vector<double> shares(demand.size(), 0.0);
  for (int room = kDeviceMilli; room > 0;) {
    const auto here = static_cast<std::size_t>(room);
    if (best[here] == best[here - 1]) {
      --room;
      continue;
    }
    std::size_t j = 0;  // the size whose share makes the step to best[room]
    while (demand[j].milli > room ||
           best[here - static_cast<std::size_t>(demand[j].milli)] + prices[j] != best[here]) {
      ++j;
    }
    shares[j] += 1;
    room -= demand[j].milli;
  }
  return shares;
}

}  // namespace

std::vector<double> best_fillings(const std::vector<SizeDemand>& demand,
                                  const std::vector<double>& prices) {
  std::vector<double> best(kDeviceMilli + 1, 0.0);
  for (std::size_t room = 1; room < best.size(); ++room) {
    best[room] = best[room - 1];
    for (std::size_t j = 0; j < demand.size(); ++j) {
      const auto milli = static_cast<std::size_t>(demand[j].milli);
      if (milli <= room) best[room] = std::max(best[room], best[room - milli] + prices[j]);
    }
  }
  return best;
}

std::vector<double> size_prices(const std::vector<SizeDemand>& demand) {
  Packings packings(demand);
  for (int pivots = 0; pivots < kMostPivots; ++pivots) {
    const std::vector<double> prices = packings.prices();
    const std::vector<double> best = best_fillings(demand, prices);
    if (best[kDeviceMilli] <= 1.0 + kSame) return prices;  // no packing is worth more than a GPU
    if (!packings.enter(packing_of(demand, prices, best))) return prices;
  }
  return packings.prices();
}

}  // namespace headroom::schedule
