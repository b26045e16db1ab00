"""Identity pictures: how often the thresholds for legibility are wrong on generated photos.

Run it by `python -m bench.identity_pictures`.
"""

import io
import itertools
import random
from collections import Counter
from collections.abc import Iterator

from PIL import Image

from bench.sample_photos import Photo, take
from foundation.pictures.measuring import measure_picture
from onboarding.legibility import GOOD, Verdict, judge

SIZES = [(1600, 1200), (1200, 1600), (1024, 768)]
SHARP, BLURRED = [0, 0.05, 0.1], [0.4, 0.6, 1.0]
SEEDS = range(3)


def list_good() -> Iterator[Photo]:
    """Yield photos that can be read: near and far, tilted, in weak light, with noise."""
    for (width, height), share, blur in itertools.product(SIZES, [0.5, 0.7, 0.95], SHARP):
        for seed in SEEDS:
            chance = random.Random(f"{width} {share} {blur} {seed}")  # noqa: S311 - no secret
            yield Photo(
                width,
                height,
                share=share,
                blur=blur,
                light=chance.choice([0.5, 0.8, 1.0, 1.2]),
                noise=chance.choice([2, 5, 9]),
                angle=chance.uniform(-12, 12),
                quality=chance.choice([60, 80, 92]),
                seed=seed,
            )


def list_bad() -> Iterator[tuple[str, bytes]]:
    """Yield files that cannot be read, each with what is wrong."""
    for (width, height), share in itertools.product(SIZES, [0.5, 0.7, 0.95]):
        for seed in SEEDS:
            common = {"share": share, "seed": seed, "noise": 2 + 2 * seed, "angle": 3 * seed}
            yield "blurred", take(Photo(width, height, blur=BLURRED[seed % 3], **common))
            yield "shaken", take(Photo(width, height, shake=1.5 + seed / 2, **common))
            yield "dark", take(Photo(width, height, light=0.12, **common))
            yield "small", take(Photo(width // 8, height // 8, **common))
            yield "no card", _surface(width, height, seed)


def _surface(width: int, height: int, seed: int) -> bytes:
    """Return a photo of nothing: a sheet of paper, or a finger on the lens."""
    tint = 30 + 60 * seed
    noise = Image.effect_noise((width, height), 2 + seed).point(lambda one: one - 128 + tint)
    file = io.BytesIO()
    noise.save(file, "JPEG", quality=85)
    return file.getvalue()


def name_of(verdict: Verdict) -> str:
    """Return the verdict in a word."""
    if verdict.fault:
        return f"refused ({verdict.fault.name.lower()})"
    return f"doubted ({verdict.doubt.name.lower()})" if verdict.doubt else "taken"


def main() -> None:
    """Print the verdicts, and the measures of photos that are judged wrongly."""
    good = Counter[str]()
    for photo in list_good():
        content = take(photo)
        verdict = judge(content, "image/jpeg")
        good[name_of(verdict)] += 1
        if verdict != GOOD:
            print(photo, name_of(verdict), measure_picture(content).decode())  # noqa: T201 - a report
    print(f"{sum(good.values())} legible photos: {dict(good)}")  # noqa: T201 - a report
    bad: dict[str, Counter[str]] = {}
    for fault, content in list_bad():
        verdict = judge(content, "image/jpeg")
        bad.setdefault(fault, Counter())[name_of(verdict)] += 1
        if verdict == GOOD:
            print(fault, "taken", measure_picture(content).decode())  # noqa: T201 - a report
    for fault, counts in bad.items():
        print(f"{sum(counts.values())} {fault}: {dict(counts)}")  # noqa: T201 - a report


if __name__ == "__main__":
    main()
