// The options of the command line for the papers' methods.
#pragma once

#include <string>
#include <vector>

#include "method/run.h"

namespace CLI {
class App;
}

namespace sightline::tool {

using papers::DepthBits;
using papers::Dropped;
using papers::MethodName;
using papers::MethodReport;
using papers::Motion;
using papers::Pass;
using papers::Penetration;
using papers::Precision;
using papers::Report;
using papers::TriangleRef;
using papers::View;
using papers::method::MethodOptions;

struct MethodSettings {
  MethodName method = MethodName::exact;
  MethodOptions paper;
  std::vector<std::string> motions;  ///< clash: PART:VX,VY,VZ[,WX,WY,WZ]
  bool drives = false;               ///< demo: the response of the scene uses what the method finds
  bool normals = false;              ///< demo: it uses the normals of the exact contacts
  std::vector<std::string> rigid;    ///< clash: names or numbers of parts
};

/// `--drive`, in place of `--method`. Before add_method_options.
void add_drive_option(CLI::App& app, MethodSettings& settings);

void add_method_options(CLI::App& app, MethodSettings& settings, bool with_motions);
/// After parsing: throws CLI::ParseError for an option that the chosen method would ignore.
void check_method_options(const CLI::App& app, const MethodSettings& settings);

/// A part's motion as given. The caller sets the centre.
struct NamedMotion {
  std::string part;  ///< name or number
  Motion motion;
};
/// Throws Error if the text is not PART:VX,VY,VZ[,WX,WY,WZ].
NamedMotion parse_motion(const std::string& text);

}  // namespace sightline::tool
