"""Risks: the rating of a business by the table of rules that staff edit."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from onboarding.choices import CheckResult, HitStatus, ListCode, Risk, RiskFactor
from onboarding.models import Application, RiskRule, ScreeningHit
from onboarding.queries.leads import LeadFile
from onboarding.queries.risks import get_risk_table
from onboarding.screening import Finding

MEDIUM_FROM, HIGH_FROM = 20, 50
MAX_POINTS = 1000
EXPOSED = "PEP"  # the factor of a confirmed exposed person, which no rule of the table rates
EXPOSED_REASON = "A person is politically exposed, as staff confirmed."
HOME = {"US", "AS", "GU", "MP", "PR", "VI"}  # with the territories, 31 CFR 1010.100(hhh)


@dataclass(frozen=True)
class Rating:
    """The risk of a business, with the reasons.

    Shape: `reasons` are objects with `factor`, `value`, `points` and `reason`, most points first.
    """

    risk: Risk
    points: int
    reasons: list[dict[str, Any]]


def rate(file: LeadFile, findings: Iterable[Finding]) -> Rating:
    """Rate the risk by the points of the rules that match the business, its people and findings.

    Each rule counts once; the sum is at most MAX_POINTS. Nothing is saved.
    """
    table = get_risk_table()
    found: dict[RiskRule, str] = {}
    for factor, value in _facts(file, findings):
        rule = table.find(factor, value)
        if rule and rule.points:
            found.setdefault(rule, value)
    reasons = [_reason(rule, value) for rule, value in found.items()]
    reasons.sort(key=lambda reason: (-reason["points"], reason["factor"], reason["value"]))
    points = _total(reasons)
    return Rating(_level(points), points, reasons)


def rate_exposed(application: Application) -> None:
    """Add the points of a high risk if a party of the lead is a confirmed exposed person, and save.

    Without such a party, points that were added so are removed. The lead must be locked.
    """
    pep_hits = ScreeningHit.objects.filter(list_code=ListCode.PEP, status=HitStatus.CONFIRMED)
    is_exposed = pep_hits.filter(lead=application.lead_id, is_current=True).exists()
    reasons = [one for one in application.risk_reasons if one["factor"] != EXPOSED]
    if is_exposed:
        said = {"factor": EXPOSED, "value": EXPOSED, "points": HIGH_FROM, "reason": EXPOSED_REASON}
        reasons = [said, *reasons]
    if reasons != application.risk_reasons:
        application.risk_reasons, application.risk_points = reasons, _total(reasons)
        application.risk = _level(application.risk_points)
        application.save(update_fields=["risk", "risk_points", "risk_reasons"])


def _facts(file: LeadFile, findings: Iterable[Finding]) -> Iterator[tuple[RiskFactor, str]]:
    lead = file.lead
    if lead.business_type:
        yield RiskFactor.BUSINESS_TYPE, lead.business_type
    if lead.naics_code:
        yield RiskFactor.NAICS, lead.naics_code
    homes = [_country(person.home) for person in file.people]
    ids = [person.id_country for person in file.people]
    seats = [_country(address) for address in (lead.business_address, lead.mailing_address)]
    for country in sorted({*homes, *ids, *seats} - {"", *HOME}):
        yield RiskFactor.COUNTRY, country
    for country in sorted({*homes} - {"", *HOME}):
        yield RiskFactor.OWNER_ABROAD, country
    for finding in findings:
        if finding.rated and finding.result is not CheckResult.PASS:
            yield RiskFactor.CHECK, finding.code


def _country(address: Mapping[str, str | None]) -> str:
    return (address.get("country") or "").upper()


def _reason(rule: RiskRule, value: str) -> dict[str, Any]:
    return {
        "factor": rule.factor,
        "value": str(value),
        "points": rule.points,
        "reason": rule.reason,
    }


def _total(reasons: Iterable[Mapping[str, Any]]) -> int:
    total: int = sum(reason["points"] for reason in reasons)
    return min(total, MAX_POINTS)


def _level(points: int) -> Risk:
    if points >= HIGH_FROM:
        return Risk.HIGH
    return Risk.MEDIUM if points >= MEDIUM_FROM else Risk.LOW
