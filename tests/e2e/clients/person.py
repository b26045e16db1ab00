"""Somebody with a browser, as far as forms and redirects go: no page needs more."""

import re
from urllib.parse import parse_qsl, urlsplit

import httpx2
from lxml import html

from mcp_server.scopes import Scope

CALLBACK = "http://127.0.0.1:8899/callback"  # nobody listens: the browser stops before it


class Person:
    """Somebody whom assistants send to the bank, to sign in and to answer the consent page.

    Of the scopes that a page offers `grants` are ticked (None: all); `allows` is the button.
    """

    def __init__(self, origin, email, password):
        self.origin, self.email, self.password = origin, email, password
        self.grants, self.allows = None, True
        self.asked_for = []  # the scopes on each consent page
        self.browser = httpx2.Client(base_url=origin, timeout=60)

    def visit(self, address):
        """Return where the browser ends up when the bank is done with the person."""
        response = self.browser.get(address)
        while True:
            if not response.is_redirect:
                response = self.fill_in(response)
            elif (target := response.headers["location"]).startswith(("/", f"{self.origin}/")):
                response = self.browser.get(target)
            else:
                return target

    def fill_in(self, response):
        """Answer the form that a page is about."""
        assert response.status_code == 200, response.text
        (form,) = html.fromstring(response.text).xpath(
            "//main//form[.//button[contains(concat(' ', @class, ' '), ' button ')]]"
        )
        return self.browser.post(form.action or str(response.url), data=self.answers(form))

    def answers(self, form):
        """Return what the person sends."""
        values = dict(form.form_values())
        if "password" in {*values, *form.fields.keys()}:
            return {**values, "username": self.email, "password": self.password}
        if form.xpath(".//button[@name='allow']"):
            offered = form.xpath(".//input[@name='scopes']/@value")
            self.asked_for.append([one for one in Scope.values if one in offered])
            ticked = [scope for scope in offered if self.grants is None or scope in self.grants]
            values |= {"scopes": ticked, "allow": "Allow" if self.allows else "Deny"}
        return values

    def end_access(self, name):
        """End an assistant's access, on the page of those that are connected."""
        page = html.fromstring(self.browser.get("/connected-assistants").text)
        (card,) = page.xpath("//details[.//strong/bdi[text()=$name]]", name=name)
        (path,) = [link for link in card.xpath(".//a/@href") if re.search(r"/\d+/end$", link)]
        assert self.fill_in(self.browser.get(path)).is_redirect

    def close(self):
        self.browser.close()


def query_of(address):
    """Return the parameters of an address."""
    return dict(parse_qsl(urlsplit(address).query))
