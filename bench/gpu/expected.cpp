// Prints the expected answers for bench/gpu: name, contacts, fingerprint. Run where the CPU engine is built.
#include <cstdio>

#include "bench/gpu/cases.h"
#include "sightline/sightline.h"

int main() {
  using namespace sightline;
  for (const gpu_bench::Case& test : gpu_bench::cases()) {
    const std::vector<Mesh> meshes = test.make();
    Scene scene;
    for (const Mesh& mesh : meshes) scene.add(mesh, {.self = meshes.size() == 1});
    const Report report = scene.collide();
    std::printf("%s\t%zu\t%016llx\n", test.name.c_str(), report.contacts.size(),
                static_cast<unsigned long long>(gpu_bench::fingerprint(report.contacts)));
  }
}
