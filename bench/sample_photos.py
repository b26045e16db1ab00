"""Sample photos: generated photos of made identity cards, sharp, blurred, small, dark or blank."""

import io
import random
from dataclasses import dataclass

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont

CARD = (1712, 1080)  # pixels; 85.6 by 54 mm, 20 pixels a millimeter
FINE_PRINT = 1.3 / 85.6  # height of small letters, as a share of the width of a card
NAMES = ["BYRON, ADA", "HOPPER, GRACE", "TURING, ALAN", "LOVELACE, JANE", "O'NEILL, SEAN"]
STREETS = ["1 MAIN STREET", "2210 NORTH ELM AVE APT 4", "3 COBOL STREET"]


@dataclass(frozen=True)
class Photo:
    """How a photo is taken; sizes are shares of its own."""

    width: int
    height: int
    share: float = 0.8  # of the width that the card takes
    blur: float = 0  # radius, in heights of the fine print
    shake: float = 0  # length of the motion, in heights of the fine print
    light: float = 1.0
    noise: float = 4
    angle: float = 0
    quality: int = 88
    seed: int = 0

    @property
    def fine_print(self) -> float:
        """Return the height of the smallest letters in pixels."""
        return self.width * self.share * FINE_PRINT


def draw_card(seed: int) -> Image.Image:
    """Return a made identity card: a portrait, a pattern, large and fine print."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    base = tuple(chance.randint(185, 245) for _ in range(3))
    card = Image.new("RGB", CARD, base)
    pen = ImageDraw.Draw(card)
    tint = tuple(max(0, part - chance.randint(15, 40)) for part in base)
    for place in range(0, CARD[0], 28):
        pen.arc((place - 400, -300, place + 700, 1400), 0, 360, fill=tint, width=2)
    portrait = Image.effect_noise((420, 540), 60).filter(ImageFilter.GaussianBlur(6))
    card.paste(portrait.convert("RGB"), (70, 300))
    pen.rectangle((0, 0, CARD[0], 150), fill=tuple(part // 3 for part in base))
    pen.text((70, 30), "DRIVER LICENSE", font=ImageFont.load_default(90), fill="white")
    ink = (chance.randint(0, 50),) * 3
    lines = [chance.choice(NAMES), chance.choice(STREETS), "NEW YORK NY 10001"]
    lines += [f"DOB {chance.randint(1, 12):02}/11/1980", f"EXP {chance.randint(1, 12):02}/11/2030"]
    for place, line in enumerate(lines):
        pen.text((560, 210 + 90 * place), line, font=ImageFont.load_default(56), fill=ink)
    for place in range(9):
        text = f"{chance.randint(10**7, 10**8)} CLASS D  END NONE  RSTR B  SEX F  HGT 5-0{place}"
        pen.text((560, 690 + 38 * place), text, font=ImageFont.load_default(36), fill=ink)
    return card


def take(photo: Photo) -> bytes:
    """Return the photo as JPEG."""
    chance = random.Random(photo.seed)  # noqa: S311 - no secret
    width, height = photo.width, photo.height
    table = Image.effect_noise((width // 8, height // 8), 25).resize((width, height))
    tint = Image.new("RGB", (width, height), tuple(chance.randint(60, 160) for _ in range(3)))
    scene = Image.blend(tint, table.convert("RGB"), 0.25)
    card_width = int(width * photo.share)
    card = draw_card(photo.seed).resize((card_width, card_width * CARD[1] // CARD[0]))
    card = card.convert("RGBA").rotate(photo.angle, expand=True, resample=Image.Resampling.BICUBIC)
    scene.paste(card, ((width - card.width) // 2, (height - card.height) // 2), card)
    if photo.blur:
        scene = scene.filter(ImageFilter.GaussianBlur(photo.blur * photo.fine_print))
    if photo.shake:
        scene = _shake(scene, max(2, round(photo.shake * photo.fine_print)))
    scene = ImageEnhance.Brightness(scene).enhance(photo.light)
    noise = Image.effect_noise((width, height), photo.noise).convert("RGB")
    scene = ImageChops.add(scene, noise, scale=1, offset=-128)
    file = io.BytesIO()
    scene.save(file, "JPEG", quality=photo.quality)
    return file.getvalue()


def _shake(scene: Image.Image, length: int) -> Image.Image:
    """Return the mean of copies that are moved along a line."""
    steps = min(length, 16)
    mean = scene
    for step in range(1, steps):
        moved = ImageChops.offset(scene, step * length // steps, step * length // steps // 2)
        mean = Image.blend(mean, moved, 1 / (step + 1))
    return mean
