// A line plot as SVG: two axes with ticks, a line and marks for each series, a legend.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/experiment.h"

namespace sightline::experiments {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 80, kRight = 200, kTop = 40, kBottom = 56;
constexpr const char* kInk[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text)
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  return safe;
}

/// One axis: from data to the drawing.
class Scale {
 public:
  Scale(double low, double high, bool log, double from, double to) : log_(log), from_(from), to_(to) {
    if (log_) {
      low_ = std::floor(std::log10(std::max(low, 1e-3)));
      high_ = std::max(low_ + 1, std::ceil(std::log10(std::max(high, 1e-3))));
      return;
    }
    const double step = nice((high > low ? high - low : 1) / 5);
    low_ = std::floor(low / step) * step;
    high_ = std::max(low_ + step, std::ceil(high / step) * step);
  }
  double at(double value) const {
    const double v = log_ ? std::log10(std::max(value, 1e-3)) : value;
    return from_ + (v - low_) / (high_ - low_) * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> all;
    const double step = log_ ? 1 : nice((high_ - low_) / 5);
    for (double v = low_; v <= high_ + step * 1e-6; v += step) all.push_back(log_ ? std::pow(10, v) : v);
    return all;
  }

 private:
  /// 1, 2 or 5 times a power of ten.
  static double nice(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0})
      if (step <= factor * power * 1.0001) return factor * power;
    return 10 * power;
  }
  bool log_;
  double low_, high_, from_, to_;
};

std::string label(double value) {
  if (std::abs(value) < 1e-12) return "0";
  return std::abs(value) >= 1000 ? fmt::format("{:g}k", value / 1000) : fmt::format("{:.3g}", value);
}

std::string text(double x, double y, const char* anchor, std::string_view words, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(words));
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/>\n", x.at(tick), kTop, kHeight - kBottom);
    svg += text(x.at(tick), kHeight - kBottom + 18, "middle", label(tick));
  }
  for (const double tick : y.ticks()) {
    svg += fmt::format("<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/>\n", kLeft, y.at(tick), kWidth - kRight);
    svg += text(kLeft - 8, y.at(tick) + 4, "end", label(tick));
  }
  svg += text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", plot.x);
  const std::string turned = fmt::format(" transform=\"rotate(-90 18 {0})\"", (kTop + kHeight - kBottom) / 2);
  return svg + text(18, (kTop + kHeight - kBottom) / 2, "middle", plot.y, turned.c_str());
}

std::string curve(const Series& series, std::size_t number, const Scale& x, const Scale& y) {
  const char* ink = kInk[number % std::size(kInk)];
  std::string path, marks;
  for (const auto& [px, py] : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(px), y.at(py));
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>", x.at(px), y.at(py), ink);
  }
  const double legend = kTop + 10 + 20 * static_cast<double>(number);
  const char* dash = series.paper ? " stroke-dasharray=\"5 4\"" : "";
  return fmt::format("<path fill=\"none\" stroke=\"{0}\" stroke-width=\"1.8\"{1} d=\"{2}\"/>{3}\n", ink, dash, path,
                     marks) +
         fmt::format("<path stroke=\"{0}\" stroke-width=\"1.8\"{1} d=\"M{2} {3:.1f}h24\"/>\n", ink, dash,
                     kWidth - kRight + 14, legend) +
         text(kWidth - kRight + 44, legend + 4, "start", series.name);
}

}  // namespace

std::string to_svg(const Plot& plot) {
  double x_low = 1e300, x_high = -1e300, y_low = plot.log_y ? 1e300 : 0, y_high = -1e300;
  for (const Series& series : plot.series)
    for (const auto& [x, y] : series.points) {
      x_low = std::min(x_low, x), x_high = std::max(x_high, x);
      y_low = std::min(y_low, y), y_high = std::max(y_high, y);
    }
  if (x_low > x_high) x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  const Scale x(x_low, x_high, plot.log_x, kLeft, kWidth - kRight),
      y(y_low, y_high, plot.log_y, kHeight - kBottom, kTop);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"12\">\n<style>.grid{{stroke:#ddd;fill:none}}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#fff\"/>\n",
      kWidth, kHeight);
  svg += text(kLeft, 22, "start", plot.title, " font-size=\"14\" font-weight=\"bold\"");
  svg += axes(plot, x, y);
  for (std::size_t i = 0; i < plot.series.size(); ++i) svg += curve(plot.series[i], i, x, y);
  return svg + "</svg>\n";
}

}  // namespace sightline::experiments
