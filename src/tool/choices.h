// Validators of CLI11 that know the words of an option, for suggestions, manuals and completion.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "tool/suggest.h"

namespace sightline::tool {

/// A validator's name has the words of its option, separated by this character.
inline constexpr char kBetweenWords = '|';

/// Accepts these words only.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return "";
    return fmt::format("{} not in {{{}}}{}", text, fmt::join(words, ","), did_you_mean(text, words));
  };
  return CLI::Validator(check, "", fmt::format("{}", fmt::join(words, std::string(1, kBetweenWords))));
}

/// Accepts everything: the words are suggestions.
inline CLI::Validator such_as(const std::vector<std::string>& words) {
  return CLI::Validator([](std::string&) { return std::string(); }, "",
                        fmt::format("{}", fmt::join(words, std::string(1, kBetweenWords))));
}

}  // namespace sightline::tool
