// Pieces of SVG as text, of which all pictures of the program are made. A picture is one file that
// needs no other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools::svg {

inline constexpr double kLetter = 6.2;  // about the width of one, at the size of labels

// For text and attributes: what others named may hold anything.
std::string escaped(std::string_view text);
double letters_of(std::string_view text);  // how many, in UTF-8
std::string text(double x, double y, std::string_view what, std::string_view attributes = {});
std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 double width = 1);
// A browser shows `tip` under the pointer.
std::string rect(double x, double y, double width, double height, std::string_view attributes,
                 std::string_view tip = {});
inline constexpr std::string_view kTick = R"(font-size="11" text-anchor="middle")",
                                  kTickLeft = R"(font-size="11" text-anchor="end")",
                                  kAxis = R"(font-size="11" text-anchor="middle" fill="#555")",
                                  kNote = R"(font-size="11" fill="#555")",
                                  kTitle = R"(font-weight="bold")";

// The text in lines of about this width, if a letter has that one.
std::vector<std::string> wrapped(std::string_view text, double width, double letter = kLetter);

// The title of a picture, and the lines of the note below it, which are cut to about `width`.
struct Head {
  std::string drawn;
  double bottom;  // of the last line
};
Head head(double left, double width, std::string_view title, std::string_view note);

// "12.5 µs", "3 ms": with so many significant digits.
std::string time_text(double us, int digits = 3);

// The whole file.
std::string document(double width, double height, std::string_view body);

}  // namespace tutti::tools::svg
