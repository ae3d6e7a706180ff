// "Did you mean": the known word that is nearest to a word that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sightline::tool {

/// The known word with the fewest changed, missing, extra and swapped letters, if these are few for the length of the
/// word; else the first known word that begins with it; else nothing. Case does not count.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'check'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// "there is no scene 'tub'; did you mean 'tube'? There are tube and cloth". Without a near word: "there is no scene
/// 'x'; there are tube and cloth". `all` is the last clause, in lower case.
std::string not_there(std::string_view what, std::string_view word, std::span<const std::string> known,
                      std::string_view all);

}  // namespace sightline::tool
