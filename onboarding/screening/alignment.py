"""Compare two names word by word, and score whether they can be the same person or company."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from onboarding.screening.vocabulary import INITIAL
from onboarding.screening.words import PARTICLES, is_generic

FEWEST_WORDS = 2  # of a name that is contained in a longer one
CONTAINED = 92.0  # the highest score of a name that is a part of the other
SURE = 96.0  # the lowest score of such a part
PATRONYMIC = re.compile("(OVI|EVI|YI)(CH|TCH|TSCH|C)$|(OV|EV)NA$")  # may be left out at any score
LONGEST_JOINED = 3  # words that are looked for as one


@dataclass(frozen=True)
class Unit:
    """A word, or several neighbouring words written as one word.

    `mask` tells which words of the name they are: bit 0 is set for its first word, and so on.
    """

    text: str
    mask: int


@dataclass(frozen=True)
class Pair:
    """A word of the name looked for and a word of a listed name that may be the same.

    `ours` is of the name looked for. Units: score, 0 to 100.
    """

    ours: Unit
    theirs: Unit
    score: float
    reason: str


@dataclass
class Alignment:
    """Pairs of matching words of two names, and the words of either name without a match.

    `left` are words of the name looked for, `left_listed` words of the listed name.
    """

    pairs: list[Pair]
    left: list[str]
    left_listed: list[str]

    @property
    def in_full(self) -> list[Pair]:
        """Return the pairs in which no initial stands for a longer word."""
        return [pair for pair in self.pairs if pair.reason != "INITIAL"]


def weighed_words(words: Sequence[str]) -> list[str]:
    """Return a person's name without particles such as AL, or whole if under two words remain."""
    kept = [word for word in words if word not in PARTICLES]
    return kept if len(kept) >= FEWEST_WORDS else list(words)


def joined_units(words: Sequence[str], counted: Sequence[str]) -> list[Unit]:
    """Return each two or three neighbouring words as one, with and without particles between them.

    The masks count the words of `counted`: all of `words`, or those that `weighed_words` keeps.
    """
    with_particles, place = [], 0
    for word in words:
        is_counted = place < len(counted) and counted[place] == word
        with_particles.append(Unit(word, 1 << place if is_counted else 0))
        place += is_counted
    without = [unit for unit in with_particles if unit.text not in PARTICLES]
    units: dict[str, int] = {}
    for sequence in (with_particles, without):
        for start in range(len(sequence)):
            for end in range(start + 2, min(start + LONGEST_JOINED, len(sequence)) + 1):
                part = sequence[start:end]
                if mask := sum(unit.mask for unit in part):
                    units.setdefault("".join(unit.text for unit in part), mask)
    return [Unit(text, mask) for text, mask in units.items()]


def align(ours: Sequence[str], theirs: Sequence[str], pairs: list[Pair]) -> Alignment:
    """Choose pairs that share no word, best score first; then pair initials with words left over.

    The masks of `pairs` count the words of `ours` and `theirs`.
    """
    chosen: list[Pair] = []
    taken = taken_listed = 0
    for pair in sorted(_at_each_place(pairs, theirs), key=_rank):
        if not (pair.ours.mask & taken or pair.theirs.mask & taken_listed):
            chosen.append(pair)
            taken |= pair.ours.mask
            taken_listed |= pair.theirs.mask
    left = [Unit(word, 1 << n) for n, word in enumerate(ours) if not taken & 1 << n]
    left_listed = [Unit(word, 1 << n) for n, word in enumerate(theirs) if not taken_listed & 1 << n]
    chosen += _pair_initials(left, left_listed)
    return Alignment(chosen, [one.text for one in left], [one.text for one in left_listed])


def _at_each_place(pairs: list[Pair], theirs: Sequence[str]) -> list[Pair]:
    """Return `pairs`, whose masks have a listed word at its first place, with its other places."""
    if len(set(theirs)) == len(theirs):
        return pairs
    repeated = [
        Unit(word, 1 << place) for place, word in enumerate(theirs) if word in theirs[:place]
    ]
    further = [
        replace(pair, theirs=unit)
        for pair in pairs
        for unit in repeated
        if pair.theirs.text == unit.text
    ]
    return [*pairs, *further]


def _rank(pair: Pair) -> tuple[bool, float, int]:
    # particles come last: a repeated one may be a part of joined words at one of its places
    return pair.theirs.text in PARTICLES, -pair.score, -len(pair.theirs.text)


def _pair_initials(left: list[Unit], left_listed: list[Unit]) -> list[Pair]:
    """Return pairs of a word and its initial, and remove both from the lists passed in."""
    pairs = []
    for unit in sorted(left, key=lambda one: -len(one.text)):
        by_length = sorted(left_listed, key=lambda one: len(one.text))
        found = next((one for one in by_length if _is_initial(unit.text, one.text)), None)
        if found:
            pairs.append(Pair(unit, found, INITIAL, "INITIAL"))
            left.remove(unit)
            left_listed.remove(found)
    return pairs


def score_person(found: Alignment) -> float:
    """Return how similar two names of people are, from 0 to 100; 0 if they are no match.

    Each word of the shorter name must match. Two names of one word must be equal.
    """
    if found.left and found.left_listed:
        return 0.0
    full = found.in_full
    has_initials = len(full) < len(found.pairs)
    if len(full) < FEWEST_WORDS:
        long_left = any(len(word) > 1 for word in (*found.left, *found.left_listed))
        alone = not has_initials and (found.left or found.left_listed or not full)
        if alone or long_left or (has_initials and not full):
            return 0.0
        if not has_initials and full[0].ours.mask.bit_count() == full[0].theirs.mask.bit_count():
            return full[0].score if full[0].reason == "SAME" else 0.0
    return _mean(found)


def score_company(found: Alignment, *, is_rare: bool) -> float:
    """Return how similar two names of companies are, from 0 to 100; 0 if they are no match.

    Distinctive words of the shorter name must match; words of a trade may be added or dropped, but
    not replaced by another trade. Unless `is_rare`, which says that few listed names have the
    distinctive words, all words of both names must match.
    """
    left = [word for word in found.left if not is_generic(word)]
    left_listed = [word for word in found.left_listed if not is_generic(word)]
    distinctive = [pair for pair in found.pairs if not is_generic(pair.theirs.text)]
    trades = len(found.pairs) - len(distinctive)
    extra = len(found.left) - len(left), len(found.left_listed) - len(left_listed)
    if not (found.left or found.left_listed):
        return _mean(found)
    if (
        not distinctive
        or (left and left_listed)
        or (found.left and found.left_listed and not (left or left_listed))
    ):
        return 0.0
    if all(extra):
        return 0.0
    if (left or left_listed) and len(distinctive) + bool(trades) < FEWEST_WORDS:
        return 0.0
    if (left and extra[1]) or (left_listed and extra[0]):
        return 0.0
    is_exact = all(pair.reason in {"SAME", "JOINED"} for pair in distinctive)
    return _mean(found) if is_rare and is_exact else 0.0


def _is_initial(one: str, other: str) -> bool:
    return one[0] == other[0] and 1 in {len(one), len(other)}


def _mean(found: Alignment) -> float:
    weights = [max(len(pair.ours.text), len(pair.theirs.text)) for pair in found.pairs]
    scores = [pair.score for pair in found.pairs]
    mean = sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)
    if not (found.left or found.left_listed):
        return mean
    left = (*found.left, *found.left_listed)
    is_sure = mean >= SURE or all(PATRONYMIC.search(word) for word in left)
    return min(mean, CONTAINED) if is_sure else 0.0
