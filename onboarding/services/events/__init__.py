"""Events: the history of a lead, and its publication to partners."""
