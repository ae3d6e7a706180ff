#include "method/method.h"

namespace sightline::method {

Candidates peel(Context&) { throw Error("peel: not there yet"); }

}  // namespace sightline::method
