#include "bench/options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "sightline/mesh.h"

namespace sightline::bench {

const char* const kHelp =
    R"(sightline_bench: Sightline against Embree, CGAL, FCL and Bullet, end to end from raw arrays.

  --quick           small sizes, one run: a check that all peers run and agree; no targets
  --scene NAME      only this scene (may be repeated)
  --runs K          timed runs of each peer (default 5, with --quick 1)
  --threads N       threads for all peers (default: one for each core)
  --simd NAME       scalar, sse4, avx2 or avx512 (default: avx512 and avx2 where this machine has them)
  --no-peer NAME    leave a peer out (may be repeated)
  --no-memory       do not measure memory
  --csv FILE        write the table as CSV
  --list            scenes and peers

Exit code: 0, or 1 if two exact answers differ, or 2 for an error in the options.
)";

namespace {

int number(std::string_view option, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw Error(fmt::format("{}: {} is not a positive number", option, text));
  return value;
}

Simd simd_named(std::string_view name) {
  for (const Simd simd : {Simd::best, Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512})
    if (to_string(simd) == name) return simd;
  throw Error(fmt::format("--simd: {} is not an instruction set", name));
}

}  // namespace

BenchOptions parse_options(int argc, char** argv) {
  BenchOptions options;
  bool runs_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error(fmt::format("{}: a value is missing", option));
      return std::string(argv[++i]);
    };
    if (option == "--quick")
      options.quick = true;
    else if (option == "--list")
      options.list = true;
    else if (option == "--help" || option == "-h")
      options.help = true;
    else if (option == "--no-memory")
      options.memory = false;
    else if (option == "--scene")
      options.scenes.insert(value());
    else if (option == "--no-peer")
      options.without.insert(value());
    else if (option == "--runs")
      options.runs = number(option, value()), runs_given = true;
    else if (option == "--threads")
      options.threads = static_cast<unsigned>(number(option, value()));
    else if (option == "--simd")
      options.simd = simd_named(value());
    else if (option == "--csv")
      options.csv = value();
    else if (option == "--memory-of")
      options.memory_of = value();
    else
      throw Error(fmt::format("{}: not an option; see --help", option));
  }
  if (options.quick && !runs_given) options.runs = 1;
  return options;
}

}  // namespace sightline::bench
