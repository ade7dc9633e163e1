"""The text of a source in C or C++ as a tool sees it that takes no notice of comments."""
import re

# A comment, or other text that may hold // within it. A digit separator is no quotation mark.
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*)
  | /\*.*?\*/
  | ^[ \t]*\#[ \t]*include[^\n]*
  | R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)"
  | "(?:\\.|[^"\\\n])*"
  | \b[0-9](?:'?[\w.])*
  | '(?:\\.|[^'\\\n])*'
""", re.X | re.S | re.M)
# Comments that checks of the tool read.
KEPT = re.compile("NOLINT|fall.?through|TODO|FIXME", re.I)


def without_words(text):
    """The text with an empty comment for each one that begins with //, and for each row of lines
    that hold nothing else. A comment between /* and */ stays: it may name an argument."""
    def emptied(match):
        return "//" if match["comment"] and not KEPT.search(match["comment"]) else match[0]
    return re.sub(r"^[ \t]*//\n(?:[ \t]*//\n)+", "//\n", TOKEN.sub(emptied, text), flags=re.M)
