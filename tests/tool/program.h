// Runs the tool in a folder of its own and keeps what it prints.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "report/temporary_folder.h"
#include "sightline/assembly.h"
#include "sightline/mesh.h"

namespace testing_support {

struct Result {
  int status = -1;  ///< exit status, or -signal
  std::string out;
  std::string err;
};

/// A started program; standard output and error go to pipes, or both to a terminal.
class Program {
 public:
  enum class Where { pipes, terminal, closed_pipe, full_device };
  /// As the first argument: the others are those of bash, which finds the tool as $SIGHTLINE.
  static constexpr const char* kShell = "bash";
  Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments, Where where = Where::pipes);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  /// Types into the terminal.
  void type(const std::string& text) const;
  /// True if the terminal echoes and waits for whole lines, as a shell leaves it.
  bool echoes() const;
  /// Reads until the output has `text` or `seconds` are over; true if it has.
  bool wait_for(const std::string& text, double seconds);
  /// Reads all, and waits for the end.
  Result finish();

 private:
  bool read_some(int milliseconds);

  pid_t process_ = -1;
  int out_ = -1, err_ = -1;
  Result result_;
};

/// A folder with meshes in it, and the tool.
class Workshop {
 public:
  Result run(const std::vector<std::string>& arguments, Program::Where where = Program::Where::pipes) const {
    return Program(folder_.path(), arguments, where).finish();
  }
  /// A script of bash, which finds the tool as $SIGHTLINE.
  Result shell(const std::string& script) const { return run({Program::kShell, "-c", script}); }
  const TemporaryFolder& folder() const { return folder_; }
  std::string text(const std::string& name) const { return slurp(folder_ / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  void save(const std::string& name, const sightline::Mesh& mesh) const;
  void save(const std::string& name, const sightline::Assembly& assembly) const;
  /// A mesh that keeps the tool busy for some seconds: all its 5000 triangles cross each other.
  void save_long_work(const std::string& name) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace testing_support
