#include "method/method.h"

namespace sightline::method {

Candidates quick_cullide(Context&) { throw Error("quick_cullide: not there yet"); }

}  // namespace sightline::method
