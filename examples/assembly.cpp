// Parts of an assembly that clash, touch, contain each other, or come closer than a clearance.
#include <fmt/core.h>
#include <sightline/io.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: assembly FILE\n");
    return 2;
  }
  const char* path = argv[1];
  // [readme]
  const sightline::Assembly parts = sightline::read_assembly(path);
  for (const sightline::PartPair& pair : sightline::clashes(parts, {.clearance = 0.5}).pairs)
    fmt::print("{} {} {} {:.4f}\n", parts.name(pair.a), parts.name(pair.b), to_string(pair.relation), pair.gap);
  // [readme]
  return 0;
}
