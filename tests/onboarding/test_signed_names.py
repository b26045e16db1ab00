"""Signatures compared with the names that people entered."""

import pytest

from onboarding.signed_names import is_own_name


@pytest.mark.parametrize(
    ("signed", "first_name", "last_name"),
    [
        ("Grace Okafor", "Grace", "Okafor"),
        ("grace OKAFOR", "Grace", "Okafor"),
        ("Okafor, Grace", "Grace", "Okafor"),
        ("Grace B. Okafor", "Grace", "Okafor"),
        ("Grace Okafor", "Grace Brewster", "Okafor"),
        ("Brewster Okafor", "Grace Brewster", "Okafor"),
        ("Mary-Ann Smith Jones", "Mary Ann", "Smith-Jones"),
        ("Maryann Smith", "Mary Ann", "Smith"),
        ("Ana OBrien", "Ana", "O\u2019Brien"),
        ("Ana Dela Cruz", "Ana", "de la Cruz"),
        ("Soren Lukasz", "Søren", "Łukasz"),
        ("Sam Poe", "Sam", "Poe Jr."),
        ("Sam Poe, Jr.", "Sam", "Poe"),
        ("J. Poe", "J.", "Poe"),
        ("Jose Nunez", "José", "Núñez"),
        ("Suharto", "", "Suharto"),
    ],
)
def test_a_name_is_known_in_any_spelling(signed, first_name, last_name):
    assert is_own_name(signed, first_name=first_name, last_name=last_name)


@pytest.mark.parametrize(
    ("signed", "first_name", "last_name"),
    [
        ("G Okafor", "Grace", "Okafor"),
        ("G. Okafor", "Grace", "Okafor"),
        ("Grace", "Grace", "Okafor"),
        ("Okafor", "Grace", "Okafor"),
        ("Grace O.", "Grace", "Okafor"),
        ("Gracie Okafor", "Grace", "Okafor"),
        ("J. Oppenheimer", "J. Robert", "Oppenheimer"),
        ("María García", "María", "García López"),
        ("Rosa Delgado", "Grace", "Okafor"),
        ("", "Grace", "Okafor"),
    ],
)
def test_an_initial_a_half_and_another_name_are_no_signature(signed, first_name, last_name):
    assert not is_own_name(signed, first_name=first_name, last_name=last_name)
