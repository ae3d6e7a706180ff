#include "gappa.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace gappa {

std::string exact(double x) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%a", x);
  std::string s = text.data();
  if (const auto plus = s.find('+'); plus != std::string::npos) s.erase(plus, 1);
  return s;
}

std::string product(const std::vector<std::string>& factors) {
  std::string s;
  for (const std::string& f : factors) s += (s.empty() ? "" : " * ") + f;
  return "(" + s + ")";
}

Script::Script(Format format) : format_(format) {
  definitions_ = std::string("@rnd = float<ieee_") + (format == Format::single ? "32" : "64") + ", ne>;\n";
}

std::string Script::rounded(const std::string& name, const std::string& expression) {
  return format_ == Format::single ? rounded(name, expression, -125, 127) : rounded(name, expression, -1021, 1023);
}
std::string Script::rounded(const std::string& name, const std::string& expression, int low, int high) {
  const std::string e = "(" + expression + ")", factor = name + " / " + e;
  definitions_ += name + " = rnd" + e + ";\n";
  assumptions_.push_back("|" + expression + "| in [1b" + std::to_string(low) + ", 1b" + std::to_string(high) + "]");
  hints_ += factor + " -> 1 + (" + name + " - " + e + ") / " + e + " { " + expression + " <> 0 };\n";
  return "(" + factor + ")";
}
void Script::assume(const std::string& assumption) { assumptions_.push_back(assumption); }
void Script::prove(const std::string& goal) { goals_.push_back(goal); }
void Script::at_least(const std::string& expression, double limit) { prove(expression + " >= " + exact(limit)); }
void Script::at_most(const std::string& expression, double limit) { prove(expression + " <= " + exact(limit)); }

std::string Script::text() const {
  std::string s = definitions_ + "{\n";
  for (std::size_t i = 0; i < assumptions_.size(); ++i) s += (i == 0 ? "  " : "  /\\ ") + assumptions_[i] + "\n";
  s += "->\n";
  for (std::size_t i = 0; i < goals_.size(); ++i) s += (i == 0 ? "  " : "  /\\ ") + goals_[i] + "\n";
  return s + "}\n" + hints_;
}

Outcome run(const Script& script, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("sightline_gappa_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path file = folder / (name + ".g");
  std::ofstream(file) << script.text();
  FILE* pipe = popen(("gappa -Eprecision=160 '" + file.string() + "' 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell to run gappa in");
  Outcome outcome;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  fs::remove_all(folder);
  constexpr int kNoProgram = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram)
    throw std::runtime_error(
        "gappa is not installed: the error bounds cannot be checked (Debian: apt-get install gappa)");
  outcome.proven = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return outcome;
}

}  // namespace gappa
