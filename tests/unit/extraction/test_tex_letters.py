"""The letters that commands of TeX stand for."""

import pytest

from citemark.extraction.tex_letters import plain_text

pytestmark = pytest.mark.requirement("references-are-read")

WRITTEN = [
    (r"M{\"u}ller", "Müller"),
    (r"M\"{u}ller and M\"uller", "Müller and Müller"),
    (r"{\'E}cole Normale Sup\'erieure", "École Normale Supérieure"),
    (r"G{\"o}del, Erd{\H{o}}s, {\v S}koda, Fran\c{c}ois, na{\"\i}ve", "Gödel, Erdős, Škoda, François, naïve"),
    (r"{\L}ukasiewicz, Stra{\ss}e, {\O}rsted, \AA ngstr\"om", "Łukasiewicz, Straße, Ørsted, Ångström"),
    (r"The {DNA} of R\&D at 50\% -- pages 3--7", "The DNA of R&D at 50% \u2013 pages 3\u20137"),
    (r"\textit{In vivo} and \emph{in vitro}", "In vivo and in vitro"),
    (r"Smith~Jones, a \{set\}", "Smith Jones, a {set}"),
    ("plain", "plain"),
    ("", ""),
    ("\\", "\\"),
]


def test_commands_of_tex_become_the_letters_they_stand_for() -> None:
    assert [plain_text(written) for written, _ in WRITTEN] == [letters for _, letters in WRITTEN]
