"""Office prose from a seed: common words often, rare ones seldom, and a mark that only one document contains."""

from random import Random

_COMMON = """
the to of and a in for is on that with we it be this as will by from not are at have was our all can has team plan
week project review budget meeting customer order server report change request draft contract delivery supplier
invoice release database archive pipeline schedule training policy retention safety audit warehouse carton label
pallet truck carrier customs storage migration backup monitor alert incident owner deadline holiday office printer
keyboard kitchen garden bicycle recipe lentil lemon holiday travel hotel train ticket passport insurance doctor
dentist school teacher concert museum library novel chapter poem translation energy heating window roof paint ladder
repair rental deposit landlord neighbour council permit vote festival vendor record field event stream queue worker
latency throughput capacity estimate forecast margin discount heron kingfisher wagtail plover curlew sandpiper
avocet redshank godwit turnstone dunlin knot whimbrel snipe
"""
_WORDS = _COMMON.split()
_WEIGHTS = [1 / (place + 2) for place in range(len(_WORDS))]


class Prose:
    """Text of any length."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def sentence(self, words: int = 12) -> str:
        chosen = self._random.choices(_WORDS, _WEIGHTS, k=words)
        return " ".join(chosen).capitalize() + "."

    def title(self) -> str:
        return " ".join(self._random.sample(_WORDS[32:], 3)).capitalize()

    def page(self, mark: str, sentences: int = 10) -> str:
        """A paragraph or more; its first line holds the mark."""
        lines = [f"{self.sentence(6)} Reference {mark}."]
        lines += [self.sentence() for _ in range(sentences - 1)]
        return "\n\n".join(" ".join(lines[start : start + 4]) for start in range(0, len(lines), 4))
