// The greatest of the least of several distances over a convex set.
//
// The distance to a convex set F is a convex function, and so is every average of such distances. So over the convex
// hull of points p_i, the distance to the nearest of the triangles F_j is at most
//   max_i Σ_j λ_j D_ij,   D_ij = distance of p_i and F_j,
// for any weights λ with λ_j ≥ 0 and Σ λ_j = 1. The best weights are the solution of a matrix game. Its other player
// has weights b_i: if distances were linear, Σ b_i p_i would be the deepest point. One triangle is enough where the
// deepest point is a corner. Two faces that lie opposite each other need an average of both: the deepest points between
// them are a whole line or plane, which a search by bisection alone would never end with.
#pragma once

#include <array>
#include <vector>

namespace sightline::measure {

class Game {
 public:
  static constexpr int kMostColumns = 6;

  explicit Game(std::size_t rows) : rows_(rows), weights(rows, 0.0) {}

  std::size_t columns() const { return columns_.size(); }
  /// D_ij of all rows i for a further column j.
  void add(std::vector<double> column) { columns_.push_back(std::move(column)); }
  /// Sets `value` and `weights`.
  void solve();

 private:
  struct Line;
  double most(const double* lambda, std::size_t& row) const;
  void offer(const double* lambda);
  void offer_point(const std::vector<double>& b);
  void solve_pair(std::size_t j, std::size_t k);
  void solve_triple(std::size_t i, std::size_t j, std::size_t k);

  std::size_t rows_;
  std::vector<std::vector<double>> columns_;
  double point_value_ = 0;

 public:
  double value = 0;             ///< the bound for the best λ that was found, rounded up
  std::vector<double> weights;  ///< b
};

}  // namespace sightline::measure
