#include "report/formats.h"

#include <algorithm>

namespace sightline::report {
namespace {

// A workflow command ends with its line; % begins an escape. In properties , and : are taken, too.
std::string github(std::string_view value, bool property) {
  std::string out;
  for (const char c : as_utf8(value)) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      out += "\xEF\xBF\xBD";  // no escape sequences into the log
    else
      out += c;
  }
  return out;
}

bool allowed_in_xml(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c < 0xFFFE) || c >= 0x10000;
}

// For text and for attributes in double quotes; line ends in attributes are written as references, or they would be
// spaces.
std::string xml(std::string_view value, bool attribute) {
  std::string out;
  for (std::string_view rest = value; !rest.empty();) {
    const CodePoint point = next_code_point(rest);
    const std::string_view bytes = rest.substr(0, static_cast<std::size_t>(point.bytes));
    rest.remove_prefix(bytes.size());
    if (!point.valid || !allowed_in_xml(point.value))
      out += "\xEF\xBF\xBD";
    else if (bytes == "&")
      out += "&amp;";
    else if (bytes == "<")
      out += "&lt;";
    else if (bytes == ">")
      out += "&gt;";
    else if (attribute && bytes == "\"")
      out += "&quot;";
    else if ((attribute && point.value < 0x20) || bytes == "\r")
      out += fmt::format("&#{};", static_cast<unsigned>(point.value));
    else
      out += bytes;
  }
  return out;
}

}  // namespace

void append_github(Buffer& text, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.result == Finding::Result::passed) continue;
    std::string body = finding.message;
    for (const std::string& detail : finding.details) body += "\n" + detail;
    print(text, "::{} file={},title={}::{}\n", finding.result == Finding::Result::unsure ? "warning" : "error",
          github(finding.file, true), github(finding.name, true), github(body, false));
  }
}

void append_junit(Buffer& text, std::string_view suite, const std::vector<Finding>& findings) {
  const auto count = [&](Finding::Result result) {
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.result == result; });
  };
  double milliseconds = 0;
  for (const Finding& finding : findings) milliseconds += finding.milliseconds;
  const std::string numbers =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", findings.size(),
                  count(Finding::Result::failed), count(Finding::Result::error), count(Finding::Result::unsure),
                  milliseconds / 1000);
  print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n<testsuite name=\"{}\" {}>\n", numbers,
        xml(suite, true), numbers);
  for (const Finding& finding : findings) {
    print(text, "<testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3f}\"", xml(suite, true),
          xml(finding.name, true), xml(finding.file, true), finding.milliseconds / 1000);
    if (finding.result == Finding::Result::passed) {
      append(text, "/>\n");
      continue;
    }
    const std::string_view tag = finding.result == Finding::Result::failed   ? "failure"
                                 : finding.result == Finding::Result::unsure ? "skipped"
                                                                             : "error";
    print(text, ">\n<{} message=\"{}\">", tag, xml(finding.message, true));
    for (const std::string& detail : finding.details) print(text, "\n{}", xml(detail, false));
    print(text, "</{}>\n</testcase>\n", tag);
  }
  append(text, "</testsuite>\n</testsuites>\n");
}

}  // namespace sightline::report
