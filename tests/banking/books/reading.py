"""Read files for accounting software back, by libraries that know nothing of their writers."""

import io
import warnings

import ofxparse
from bs4 import XMLParsedAsHTMLWarning


def read_ofx(content):
    """Return what a file of either version holds."""
    if content.startswith(b"<?xml"):  # the library takes version 2 for ASCII, whatever it says
        content = content.decode().encode("ascii", "xmlcharrefreplace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # the library has one parser
        warnings.simplefilter("ignore", DeprecationWarning)  # it uses old names of its own parser
        return ofxparse.OfxParser.parse(io.BytesIO(content))
