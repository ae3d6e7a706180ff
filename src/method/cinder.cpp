#include "method/method.h"

namespace sightline::method {

Candidates cinder(Context&) { throw Error("cinder: not there yet"); }

}  // namespace sightline::method
