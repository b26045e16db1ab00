"""Formats that Django reads for `en`, the language of the pages and mails of applicants and owners.

They are those in which a browser writes the times of a page anew, in the zone of its reader.
"""

DATE_FORMAT = "F j, Y"
DATETIME_FORMAT = r"F j, Y \a\t g:i A"
TIME_FORMAT = "g:i A"
