#include "gl/api.h"

#include <string>

#include "sightline/mesh.h"

namespace sightline::papers::gl {

void Api::load(void* (*find)(const char* name)) {
#define SIGHTLINE_GL_LOAD(name, type)                           \
  name = reinterpret_cast<PFNGL##type##PROC>(find("gl" #name)); \
  if (name == nullptr) throw Error("gl: the driver has no function gl" #name);
  SIGHTLINE_GL_FUNCTIONS(SIGHTLINE_GL_LOAD)
#undef SIGHTLINE_GL_LOAD
}

}  // namespace sightline::papers::gl
