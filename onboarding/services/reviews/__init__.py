"""Reviews: claimed cases, proposals, decisions by two people and the evidence they rest on."""
