"""Proof reports: what was proved, when and up to which anchor, signed with the key of anchors."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from foundation.anchoring.keys import KeyFault, Keys
from foundation.anchoring.statements import digest

FORMAT = "proof-1"  # unlike statements, so that no signature counts for both


class NoProof(Exception):
    """A file is no proof report, or no later proof may begin at it; the text says why."""


@dataclass(frozen=True)
class Part:
    """A command that `verify_all` ran: the lines it printed, and its fault; empty without one."""

    name: str
    seconds: float
    lines: list[str]
    fault: str = ""


@dataclass(frozen=True)
class ProofReport:
    """The rows and files that a run of `verify_all` proved.

    Shape: `anchor` and `statement` are the number and the SHA-256 of the newest anchor that rows
    were compared with, 0 and empty without anchors. `files` has the id of the last row, by kind,
    whose file was read. `since` is the SHA-256 of the report that this one rests on, empty if
    everything was proved; `whole_at` is when everything was proved last.
    """

    at: str
    deployment: str
    anchor: int
    statement: str
    whole_at: str
    since: str = ""
    files: Mapping[str, int] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """Return the faults of the parts."""
        return [f"{part.name}: {part.fault}" for part in self.parts if part.fault]

    def to_bytes(self) -> bytes:
        """Return the signed bytes: a JSON object on several lines."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True).encode()

    def to_text(self) -> str:
        """Return the report as a text for people."""
        kind = f"since the report {self.since}" if self.since else "everything"
        lines = [
            f"Proof of {self.at}: {'; '.join(self.faults) or 'no fault'}",
            f"Deployment {self.deployment or 'without an id'}; proved: {kind}",
            f"Newest anchor: {self.anchor or 'none'} {self.statement}".rstrip(),
            f"Everything was proved last at {self.whole_at}",
        ]
        for part in self.parts:
            verdict = f"FAULT: {part.fault}" if part.fault else "no fault"
            lines += ["", f"{part.name} ({part.seconds} s): {verdict}"]
            lines += [f"    {line}" for line in part.lines]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_bytes(cls, content: bytes) -> "ProofReport":
        """Parse the bytes that `to_bytes` made; no signature is checked. Raises: NoProof."""
        try:
            values: dict[str, Any] = json.loads(content)
            if values.pop("format") != FORMAT:
                raise NoProof("the format is unknown")
            parts = [Part(**part) for part in values.pop("parts")]
            return cls(**values, parts=parts)
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise NoProof(f"it is no proof report: {exc}") from exc


def write(report: ProofReport, folder: Path, signer: Keys | None) -> Path:
    """Write a report as JSON and as text, and its signature; return the path of the JSON file.

    The signature is of the JSON. The text ends with the names of both files and the JSON's SHA-256.
    Without a signer, or if it has no private key, nothing is signed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = report.to_bytes()
    path = folder / f"proof-{report.at[:19].replace(':', '')}.json"
    signature = path.with_suffix(".sig")
    footer = f"This text is not signed, and neither is {path.name}."
    if signer and signer.private:
        signature.write_bytes(signer.sign(content))
        footer = f"This text is not signed: {signature.name} signs {path.name}."
    text = f"{report.to_text()}\n{footer} SHA-256 of {path.name}: {digest(content)}\n"
    path.with_suffix(".txt").write_text(text, encoding="utf-8")
    path.write_bytes(content)
    return path


def read_basis(path: Path, signer: Keys | None) -> tuple[ProofReport, str]:
    """Read a report at which a later proof may begin; return the report and its SHA-256.

    The report must have no fault, must have compared rows with an anchor, and its signature file
    must be made by a key that was not retired before this anchor.
    Raises: NoProof if not, or if a file is missing; KeyFault without a signer.
    """
    try:
        content, signature = path.read_bytes(), path.with_suffix(".sig").read_bytes()
    except OSError as exc:
        raise NoProof(str(exc)) from exc
    report = ProofReport.from_bytes(content)
    if signer is None:
        raise KeyFault("ANCHOR_KEY_FILE is not set")
    if not signer.verifies(content, signature, number=report.anchor):
        raise NoProof(f"no key that counts for anchor {report.anchor} signed {path}")
    if report.faults or not report.anchor:
        raise NoProof(f"{path} has faults, or compared nothing with anchors")
    return report, digest(content)
