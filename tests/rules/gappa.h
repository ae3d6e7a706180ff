// Proof scripts for Gappa, and Gappa as a program.
#pragma once

#include <string>
#include <vector>

namespace gappa {

/// The number itself, in binary.
std::string exact(double x);

/// A proof that products of rounded operations stay between limits. Every operation is a rounding operator of the
/// format on a real number of normal size (or of a range that is given).
class Script {
 public:
  enum class Format { single, twice };
  explicit Script(Format format);

  /// name = rnd(expression). Returns the rounding's factor, name / expression.
  std::string rounded(const std::string& name, const std::string& expression);
  /// The same for a magnitude between 2^low and 2^high.
  std::string rounded(const std::string& name, const std::string& expression, int low, int high);
  /// Adds an assumption, such as "x in [1, 2]".
  void assume(const std::string& assumption);
  /// Adds something to be proven.
  void prove(const std::string& goal);
  /// Limits are numbers, taken as they are.
  void at_least(const std::string& expression, double limit);
  void at_most(const std::string& expression, double limit);

  std::string text() const;

 private:
  Format format_;
  std::string definitions_, hints_;
  std::vector<std::string> assumptions_, goals_;
};

/// a * b * …
std::string product(const std::vector<std::string>& factors);

struct Outcome {
  bool proven = false;
  std::string output;
};
/// Runs gappa on the script. Throws std::runtime_error if there is no gappa.
Outcome run(const Script& script, const std::string& name);

}  // namespace gappa
