"""The index of listed names, and the search for names similar to a person's or company's."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from onboarding.screening.alignment import (
    FEWEST_WORDS,
    Alignment,
    Pair,
    Unit,
    align,
    joined_units,
    score_company,
    score_person,
    weighed_words,
)
from onboarding.screening.vocabulary import JOINED, Vocabulary, WordMatch
from onboarding.screening.words import PARTICLES, is_generic, normalise

ALIKE = 88  # the lowest score of a hit
NEARLY_SAME = 97  # the lowest score of a hit for weak aliases, ships and aircraft
MOST_WORDS = 60  # of a name: the first and the last half of them are looked for
MOST_REPEATED = 3  # times that a word counts in a name; one character may be written as several
RARE_IN = 50  # names at most that have a word which identifies a business
Postings = dict[str, dict[int, int]]  # by word: masks of the word by positions of names
Lookup = tuple[Unit, WordMatch, Postings]  # a word, a listed match, and its names


@dataclass(frozen=True)
class Hit:
    """An entry of a list with a similar name or the same document number. Units: score, 0 to 100.

    `entry` is its number, `name` its main name, and `matched` the name of it that is similar. Each
    of `reasons` has a word looked for (`ours`), the listed word (`listed`) and a code (`reason`) of
    why they match; the missing word is empty. `list` is the code of the list.
    """

    entry: int
    name: str
    score: float
    programs: str
    matched: str
    reasons: list[dict[str, str]] = field(default_factory=list)
    list: str = ""


@dataclass(frozen=True)
class Listed:
    """A name of an entry; `name` is the entry's main name, `matched` is this name.

    `is_weak` names need a higher score: weak aliases, and names of ships and aircraft. `words` are
    those of `matched` in the form of `normalise`.
    """

    entry: int
    name: str  # of the entry
    programs: str
    matched: str
    is_weak: bool
    is_individual: bool
    words: tuple[str, ...]


@dataclass
class Index:
    """The names of one or several lists, found by their words."""

    listed: list[Listed] = field(default_factory=list)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    joined: Vocabulary = field(default_factory=Vocabulary)
    having: Postings = field(default_factory=lambda: defaultdict(dict))
    having_joined: Postings = field(default_factory=lambda: defaultdict(dict))
    abbreviated: set[int] = field(default_factory=set)
    generic: set[int] = field(default_factory=set)  # names of words that many companies have

    def add(self, listed: Listed) -> None:
        """Add a name. Add all names before the first search, which caches similar words."""
        position = len(self.listed)
        words = _counted(listed.words, is_person=listed.is_individual)
        self.listed.append(listed)
        for place, word in enumerate(words):
            self.vocabulary.add(word)
            self.having[word].setdefault(position, 1 << place)
        if any(len(word) == 1 for word in words):
            self.abbreviated.add(position)
        if all(map(is_generic, words)):
            self.generic.add(position)
        for unit in joined_units(listed.words, words):
            self.joined.add(unit.text)
            self.having_joined[unit.text].setdefault(position, unit.mask)

    def search(self, name: str, *, is_person: bool, least: float = ALIKE) -> list[Hit]:
        """Return a hit for each entry with a name of score `least` or more, highest score first.

        Weak names need NEARLY_SAME. The `list` of the hits is empty.
        """
        all_words = _rarely_repeated(normalise(name, is_person=is_person).split())
        words = _counted(all_words, is_person=is_person)
        best: dict[int, tuple[float, Listed, Alignment]] = {}
        for position, pairs in self._candidates(all_words, words, is_person=is_person).items():
            listed = self.listed[position]
            theirs = _counted(listed.words, is_person=listed.is_individual)
            found = align(words, theirs, pairs)
            score = self._score(found, listed, is_person=is_person)
            enough = NEARLY_SAME if listed.is_weak else least
            if score >= enough and score > best.get(listed.entry, (0.0,))[0]:
                best[listed.entry] = score, listed, found
        ranked = sorted(best.values(), key=lambda one: (-one[0], one[1].entry))
        return [_hit(score, listed, found) for score, listed, found in ranked]

    def _score(self, found: Alignment, listed: Listed, *, is_person: bool) -> float:
        if is_person and listed.is_individual:
            return score_person(found)
        if is_person or listed.is_individual:  # and a company: all words but particles must match
            is_whole = PARTICLES.issuperset([*found.left, *found.left_listed])
            score = score_company(Alignment(found.pairs, [], []), is_rare=True) if is_whole else 0.0
            return score if score >= NEARLY_SAME else 0.0
        rare = min((len(self.having[pair.theirs.text]) for pair in found.pairs), default=0)
        return score_company(found, is_rare=rare <= RARE_IN)

    def _candidates(
        self, all_words: Sequence[str], words: Sequence[str], *, is_person: bool
    ) -> dict[int, list[Pair]]:
        """Return pairs of similar words, by the position in `listed` of names with enough of them.

        `words` are those of `all_words` that count.
        """
        lookups = list(self._look_up(all_words, words))
        wanted = self._wanted(lookups, words, is_person=is_person)
        found: dict[int, list[Pair]] = defaultdict(list)
        for unit, like, postings in lookups:
            masks = postings[like.word]
            for position in wanted & masks.keys():
                theirs = Unit(like.word, masks[position])
                found[position].append(Pair(unit, theirs, like.score, like.reason))
        return found

    def _wanted(self, lookups: list[Lookup], words: Sequence[str], *, is_person: bool) -> set[int]:
        """Return positions of listed names with enough words similar to those looked for.

        A person's name needs two such words, or one if a name has one word or an initial. A
        company's name needs one that is not generic; a name of generic words finds all such names.
        """
        if not is_person and all(map(is_generic, words)):
            return self.generic
        masks: dict[int, int] = defaultdict(int)
        for unit, like, postings in lookups:
            if is_person or not (is_generic(unit.text) or is_generic(like.word)):
                for position in postings[like.word]:
                    masks[position] |= unit.mask
        has_initials = any(len(word) == 1 for word in words)
        if has_initials or len(words) == 1 or not is_person:
            return set(masks)
        return {
            position
            for position, mask in masks.items()
            if mask.bit_count() >= FEWEST_WORDS
            or len(self.listed[position].words) == 1
            or position in self.abbreviated
        }

    def _look_up(self, all_words: Sequence[str], words: Sequence[str]) -> Iterator[Lookup]:
        for place, word in enumerate(words):
            unit = Unit(word, 1 << place)
            for like in self.vocabulary.find(word):
                yield unit, like, self.having
            for like in _joined(self.joined, word):
                yield unit, like, self.having_joined
        for unit in joined_units(all_words, words):
            for like in _joined(self.vocabulary, unit.text):
                yield unit, like, self.having


def _joined(vocabulary: Vocabulary, word: str) -> Iterator[WordMatch]:
    if len(word) > 3:
        for like in vocabulary.find_joined(word):
            yield WordMatch(like.word, min(like.score, JOINED), "JOINED")


def _counted(words: Sequence[str], *, is_person: bool) -> list[str]:
    """Return the words that are compared: all of a company, those of a person but particles."""
    return weighed_words(words) if is_person else list(words)


def _rarely_repeated(words: Sequence[str]) -> list[str]:
    """Return each word MOST_REPEATED times at most; over MOST_WORDS, the middle is left out."""
    before: Counter[str] = Counter()
    kept = []
    for word in words:
        before[word] += 1
        if before[word] <= MOST_REPEATED:
            kept.append(word)
    half = MOST_WORDS // 2
    return kept if len(kept) <= MOST_WORDS else [*kept[:half], *kept[-half:]]


def _hit(score: float, listed: Listed, found: Alignment) -> Hit:
    reasons = [
        {"ours": pair.ours.text, "listed": pair.theirs.text, "reason": pair.reason}
        for pair in sorted(found.pairs, key=lambda one: one.ours.mask)
    ]
    reasons += [{"ours": word, "listed": "", "reason": "EXTRA"} for word in found.left]
    reasons += [{"ours": "", "listed": word, "reason": "EXTRA"} for word in found.left_listed]
    return Hit(listed.entry, listed.name, round(score, 1), listed.programs, listed.matched, reasons)
