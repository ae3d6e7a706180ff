#include "report/formats.h"

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

namespace sightline::report {
namespace {

// A workflow command ends with its line; % begins an escape. In properties, ',' and ':' are reserved, too.
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

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

std::string seconds(double milliseconds) { return fmt::format("{:.3f}", milliseconds / 1000); }

}  // namespace

std::string as_xml(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const CodePoint point = next_code_point(value);
    const std::string_view bytes = value.substr(0, static_cast<std::size_t>(point.bytes));
    value.remove_prefix(bytes.size());
    out += point.valid && allowed_in_xml(point.value) ? bytes : "\xEF\xBF\xBD";
  }
  return out;
}

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
  const auto set_totals = [&](pugi::xml_node node) {
    node.append_attribute("tests") = findings.size();
    node.append_attribute("failures") = count(Finding::Result::failed);
    node.append_attribute("errors") = count(Finding::Result::error);
    node.append_attribute("skipped") = count(Finding::Result::unsure);
    set(node, "time", seconds(milliseconds));
  };
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites"), tests = suites.append_child("testsuite");
  set_totals(suites);
  set(tests, "name", as_xml(suite));
  set_totals(tests);
  for (const Finding& finding : findings) {
    pugi::xml_node test = tests.append_child("testcase");
    set(test, "classname", as_xml(suite));
    set(test, "name", as_xml(finding.name));
    set(test, "file", as_xml(finding.file));
    set(test, "time", seconds(finding.milliseconds));
    if (finding.result == Finding::Result::passed) continue;
    pugi::xml_node result = test.append_child(finding.result == Finding::Result::failed   ? "failure"
                                              : finding.result == Finding::Result::unsure ? "skipped"
                                                                                          : "error");
    set(result, "message", as_xml(finding.message));
    std::string details;
    for (const std::string& detail : finding.details) details += "\n" + as_xml(detail);
    if (!details.empty()) result.append_child(pugi::node_pcdata).set_value(details.c_str());
  }
  std::ostringstream out;
  document.save(out, "", pugi::format_indent, pugi::encoding_utf8);
  append(text, out.str());
}

}  // namespace sightline::report
