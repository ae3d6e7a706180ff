#include "method/method.h"

namespace sightline::method {

Candidates self_cullide(Context&) { throw Error("self_cullide: not there yet"); }

}  // namespace sightline::method
