"""The words of all listed names, and the search for words that may be the same as a given word."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from onboarding.screening.words import (
    has_no_vowels,
    plain_sound,
    read_synonyms,
    read_variants,
    sound_keys,
)

SAME, VARIANT, SOUND, TYPO, INITIAL, JOINED = 100.0, 95.0, 93.0, 92.0, 91.0, 96.0  # scores
LEAST_SIMILAR = 64  # letters of words that sound alike, in percent
LEAST_SIMILAR_SHORT = 76  # with at most two consonants
FIRST_LETTER = 6  # characters; up to this length the first letter is not mistyped
SHORTEST_TYPO = 3  # characters of a word in which a typing error is looked for
SHORT_TYPO = 4  # characters; in shorter words only a lost or added letter counts
LETTER_LOST = 76.0  # the score of a short word, or of one without its first letter
TWO_TYPOS = 10  # characters from which two typing errors are looked for
LONG_KEY = 3  # consonants from which joined words are compared by sound
MOST_CACHED = 20_000


@dataclass(frozen=True)
class WordMatch:
    """A listed word that may be the same as the word looked for. Units: score, 0 to 100."""

    word: str
    score: float
    reason: str


@dataclass
class Vocabulary:
    """Distinct words, indexed by their sounds and their length."""

    words: set[str] = field(default_factory=set)
    by_sound: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    by_length: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    cached: dict[str, list[WordMatch]] = field(default_factory=dict)

    def add(self, word: str) -> None:
        """Add a word. Add all words before the first `find`, which caches its answers."""
        if word in self.words:
            return
        self.words.add(word)
        self.by_length[len(word)].append(word)
        for key in sound_keys(word):
            self.by_sound[key].append(word)

    def find(self, word: str) -> list[WordMatch]:
        """Return a match for each added word that is or may be the same as `word`, in no order."""
        if (known := self.cached.get(word)) is not None:
            return known
        best: dict[str, WordMatch] = {}
        for like in self._search(word):
            if like.word not in best or best[like.word].score < like.score:
                best[like.word] = like
        if len(self.cached) >= MOST_CACHED:
            self.cached.clear()
        found = self.cached[word] = list(best.values())
        return found

    def find_joined(self, word: str, *, fewest: int = LONG_KEY) -> Iterator[WordMatch]:
        """Yield added words that are the same as `word` or sound like it, some of them twice.

        A word that only sounds like it needs `fewest` consonants.
        """
        if word in self.words:
            yield WordMatch(word, SAME, "SAME")
        for key in sound_keys(word):
            for other in self.by_sound.get(key, ()) if len(key) >= fewest else ():
                if other != word and sounds_alike(word, other, key):
                    yield WordMatch(other, SOUND, "SOUND")

    def _search(self, word: str) -> Iterator[WordMatch]:
        yield from self.find_joined(word, fewest=1)
        if len(word) > 1:
            yield from self._other_words(word)
        if len(word) >= SHORTEST_TYPO:
            yield from self._mistyped(word)

    def _other_words(self, word: str) -> Iterator[WordMatch]:
        for variant in read_variants().get(word, ()):
            if variant in self.words:
                yield WordMatch(variant, VARIANT, "VARIANT")
        for synonym in read_synonyms().get(word, ()):
            if synonym in self.words:
                yield WordMatch(synonym, VARIANT, "SYNONYM")

    def _mistyped(self, word: str) -> Iterator[WordMatch]:
        most = 2 if len(word) >= TWO_TYPOS else 1
        for length in range(len(word) - most, len(word) + most + 1):
            words = self.by_length.get(length)
            if not words or length < SHORTEST_TYPO:
                continue
            found = process.extract(
                word, words, scorer=OSA.distance, score_cutoff=most, limit=None, processor=None
            )
            for other, distance, _ in found:
                is_usual = len(word) > FIRST_LETTER or word[0] == other[0]
                if distance and is_usual and min(len(word), length) >= SHORT_TYPO:
                    yield WordMatch(
                        other, TYPO - 20 * (distance - 1) / length - 12 / length, "TYPO"
                    )
                elif distance == 1 and length != len(word):
                    yield WordMatch(other, LETTER_LOST, "TYPO")


def sounds_alike(word: str, other: str, key: str) -> bool:
    """Return whether two words with a common sound key are close enough in their letters."""
    if has_no_vowels(word) or has_no_vowels(other):
        return len(key) > 1 or max(len(word), len(other)) <= 3
    least = LEAST_SIMILAR_SHORT if len(key) <= 2 else LEAST_SIMILAR
    return fuzz.ratio(plain_sound(word), plain_sound(other)) >= least
