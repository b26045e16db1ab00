"""The base of all screens of the back office: the site, pages of facts, lists, cells, downloads."""
