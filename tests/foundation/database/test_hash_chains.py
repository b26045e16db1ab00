"""Hash chains: what is found missing, changed or out of order."""

from dataclasses import dataclass

from foundation.database import hash_chains


@dataclass
class Row:
    number: int
    text: str
    previous_digest: str = ""
    digest: str = ""

    def compute_digest(self):
        return hash_chains.compute_digest([self.number, self.text, self.previous_digest])


def chain(*texts):
    rows, digest = [], ""
    for number, text in enumerate(texts, start=1):
        row = Row(number, text, previous_digest=digest)
        row.digest = digest = row.compute_digest()
        rows.append(row)
    return rows


def faults(rows, *, until=0):
    walked = hash_chains.walk(rows, until=until)
    return [
        (number, hash_chains.list_faults(row, digest) if row else ["is missing"])
        for number, row, digest in walked
    ]


def test_the_digest_is_of_the_values_as_json_with_sorted_keys():
    digest = hash_chains.compute_digest([1, {"b": "ü", "a": None}])

    assert digest == hash_chains.compute_digest([1, {"a": None, "b": "ü"}])
    assert digest != hash_chains.compute_digest([1, {"b": "u", "a": None}])
    assert len(digest) == 64


def test_a_whole_chain_has_no_faults():
    assert faults(chain("a", "b", "c")) == [(1, []), (2, []), (3, [])]


def test_a_changed_row_and_a_missing_one_are_found():
    rows = chain("a", "b", "c")
    rows[0].text = "x"
    del rows[1]

    assert faults(rows, until=4) == [
        (1, ["was changed"]),
        (2, ["is missing"]),
        (3, ["does not follow the one before"]),
        (4, ["is missing"]),
    ]
