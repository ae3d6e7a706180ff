#include "measure/game.h"

#include <algorithm>
#include <limits>

namespace sightline::measure {

double Game::most(const double* lambda, std::size_t& row) const {
  double most = -1;
  for (std::size_t i = 0; i < rows_; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (lambda[j] > 0) sum += lambda[j] * columns_[j][i];
    if (sum > most) most = sum, row = i;
  }
  return most;
}

void Game::offer(const double* lambda) {
  std::size_t row = 0;
  const double bound = most(lambda, row);
  // The weights add up to 1 within 2^-51, and a sum of three products has as many roundings.
  value = std::min(value, std::count(lambda, lambda + columns_.size(), 1.0) == 1 ? bound : bound * (1 + 0x1p-48));
}

void Game::offer_point(const std::vector<double>& b) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& column : columns_) {
    double sum = 0;
    for (std::size_t i = 0; i < rows_; ++i) sum += b[i] * column[i];
    least = std::min(least, sum);
  }
  if (least > point_value_) point_value_ = least, weights = b;
}

// The upper envelope of the lines f_i(t) = (1 - t) D_ij + t D_ik is convex. Its least value over [0, 1] is at an end,
// or where a falling and a rising line meet.
void Game::solve_pair(std::size_t j, std::size_t k) {
  double lambda[kMostColumns] = {};
  const auto at = [&](double t, std::size_t& row) {
    lambda[j] = 1 - t, lambda[k] = t;
    const double result = most(lambda, row);
    offer(lambda);
    return result;
  };
  const auto slope = [&](std::size_t i) { return columns_[k][i] - columns_[j][i]; };
  std::size_t falling = 0, rising = 0;
  at(0, falling);
  at(1, rising);
  if (!(slope(falling) < 0) || !(slope(rising) > 0)) return;
  for (int step = 0; step < 32; ++step) {
    const double t =
        std::clamp((columns_[j][falling] - columns_[j][rising]) / (slope(rising) - slope(falling)), 0.0, 1.0);
    std::size_t row = 0;
    at(t, row);
    if (row == falling || row == rising || slope(row) == 0) break;
    (slope(row) < 0 ? falling : rising) = row;
  }
  std::vector<double> b(rows_, 0.0);
  b[falling] = slope(rising) / (slope(rising) - slope(falling));
  b[rising] = 1 - b[falling];
  offer_point(b);
}

// Three rows, three columns: both players mix all of them. Cramer's rule for D λ = 1 and Dᵀ b = 1, scaled to a sum of
// 1.
void Game::solve_triple(std::size_t i, std::size_t j, std::size_t k) {
  const std::size_t c[3] = {i, j, k};
  double cofactor[3][3];
  double sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
      const auto d = [&](int row, int column) {
        return columns_[c[(s + column) % 3]][static_cast<std::size_t>((r + row) % 3)];
      };
      sum += cofactor[r][s] = d(1, 1) * d(2, 2) - d(1, 2) * d(2, 1);
    }
  if (sum == 0) return;
  double lambda[kMostColumns] = {};
  std::vector<double> b(3, 0.0);
  bool mixed = true;
  for (int r = 0; r < 3; ++r) {
    b[static_cast<std::size_t>(r)] = (cofactor[r][0] + cofactor[r][1] + cofactor[r][2]) / sum;
    lambda[c[r]] = (cofactor[0][r] + cofactor[1][r] + cofactor[2][r]) / sum;
  }
  const double all = lambda[i] + lambda[j] + lambda[k];
  for (int r = 0; r < 3; ++r) mixed = mixed && b[static_cast<std::size_t>(r)] >= 0 && lambda[c[r]] >= 0;
  if (!mixed || !(all > 0.5 && all < 2)) return;
  for (int r = 0; r < 3; ++r) lambda[c[r]] /= all;
  offer(lambda);
  offer_point(b);
}

void Game::solve() {
  value = std::numeric_limits<double>::infinity();
  point_value_ = -1;
  const std::size_t m = columns_.size();
  for (std::size_t j = 0; j < m; ++j) {
    double lambda[kMostColumns] = {};
    lambda[j] = 1;
    offer(lambda);
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    std::vector<double> b(rows_, 0.0);
    b[i] = 1;
    offer_point(b);
  }
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t k = j + 1; k < m; ++k) solve_pair(j, k);
  if (rows_ != 3) return;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i + 1; j < m; ++j)
      for (std::size_t k = j + 1; k < m; ++k) solve_triple(i, j, k);
}

}  // namespace sightline::measure
