// `sightline devices`: the devices that can be used here, and what is missing for the others.
#include <nlohmann/json.hpp>

#include "report/names.h"
#include "sightline/query.h"
#include "tool/commands.h"
#include "tool/console.h"

namespace sightline::tool {
namespace {

std::string to_json(const std::vector<DeviceInfo>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceInfo& device : all) {
    nlohmann::ordered_json entry = {{"name", device.name}, {"usable", device.missing.empty()}};
    if (!device.missing.empty()) entry["missing"] = device.missing;
    for (const auto& [what, value] : device.facts) entry["facts"][what] = value;
    list.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"schema", "sightline.devices/1"}, {"devices", list}}.dump(2) + "\n";
}

std::string to_text(const std::vector<DeviceInfo>& all) {
  std::string text;
  for (const DeviceInfo& device : all) {
    text += fmt::format("{:<6}{}\n", device.name,
                        device.missing.empty() ? "can be used" : "cannot be used: " + device.missing);
    for (const auto& [what, value] : device.facts)
      text += fmt::format("      {:<16}{}\n", what, value.empty() ? "none" : value);
  }
  return text;
}

}  // namespace

int devices_command(const Settings& settings) {
  std::vector<DeviceInfo> all = devices();
  all.push_back(papers::gl_info());
  if (settings.json.empty()) {
    print_out(to_text(all));
    return kClean;
  }
  report::Output output(settings.json);
  output.write(to_json(all));
  output.commit();
  return kClean;
}

}  // namespace sightline::tool
