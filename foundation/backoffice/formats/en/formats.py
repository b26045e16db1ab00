"""Formats that Django reads for `en`, the language of the pages and mails of applicants and owners.

The script of a page uses the same formats when it shows the times in the zone of the reader.
"""

DATE_FORMAT = "F j, Y"
DATETIME_FORMAT = r"F j, Y \a\t g:i A"
TIME_FORMAT = "g:i A"
