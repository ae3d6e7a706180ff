#include "method/method.h"

namespace sightline::method {

Candidates cullide(Context&) { throw Error("cullide: not there yet"); }

}  // namespace sightline::method
