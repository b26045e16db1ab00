import pytest

from foundation.outbound import targets
from foundation.outbound.targets import AddressRefused

PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "169.254.1.1",
    "100.64.0.1",
    "192.0.0.8",
    "192.88.99.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.216.34",
    "::ffff:0:10.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]
LOOPBACK = ["127.0.0.1", "127.8.8.8", "::1"]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450::1"]
NO_ADDRESSES = [
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.01",
    "1.2.3.4.5",
    "256.1.1.1",
    "93.184.216.0x22",
    "[fe80::1%25eth0]",
]
NO_NAMES = ["-a.example.com", "a..example.com", "a_b!.example.com", "x" * 64]
SHAPES = {
    "ftp://example.com/": "it must begin with https://",
    "file:///etc/passwd": "it must begin with https://",
    "example.com": "it must begin with https://",
    "http://example.com/": "it must begin with https://",
    "https://user:secret@example.com/": "the URL must not carry a user name or a password",
    "https://user@example.com/": "the URL must not carry a user name or a password",
    "https://example.com\\@127.0.0.1/": "the URL has spaces, control characters or backslashes",
    "https://exam\tple.com/": "the URL has spaces, control characters or backslashes",
    "https://example.com/a b": "the URL has spaces, control characters or backslashes",
    "https://example.com:99999/": "it is not a valid URL",
    "https://[::1/": "it is not a valid URL",
    "https:///path": "it is not a valid URL",
    "https://intranet/": "the host must be a full name",
    "https://localhost/": "the host is not at a public address",
    "https://api.localhost./": "the host is not at a public address",
}


def written(address):
    return f"[{address}]" if ":" in address else address


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address):
    with pytest.raises(AddressRefused, match="the host is not at a public address"):
        targets.parse(f"https://{written(address)}/", allow_loopback=False)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_host_that_resolves_to_such_an_address_is_refused(address):
    target = targets.parse("https://example.com/", allow_loopback=False)

    with pytest.raises(AddressRefused, match="the host is not at a public address"):
        targets.check_address(target, address, allow_loopback=False)


@pytest.mark.parametrize("address", [one for one in PRIVATE if one not in LOOPBACK])
def test_loopback_is_all_that_may_be_allowed_beside(address):
    with pytest.raises(AddressRefused):
        targets.parse(f"http://{written(address)}/", allow_loopback=True)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_taken(address):
    target = targets.parse(f"https://{written(address)}:8443/hook", allow_loopback=False)

    assert target.host == address
    assert target.host_header == f"{written(address)}:8443"


@pytest.mark.parametrize("host", NO_ADDRESSES)
def test_an_address_in_another_spelling_is_refused(host):
    with pytest.raises(AddressRefused, match=r"an address must be|not a valid URL|valid name"):
        targets.parse(f"http://{host}/", allow_loopback=True)


@pytest.mark.parametrize("host", NO_NAMES)
def test_what_is_no_name_is_refused(host):
    with pytest.raises(AddressRefused):
        targets.parse(f"https://{host}/", allow_loopback=True)


@pytest.mark.parametrize("url", SHAPES)
def test_a_url_of_a_wrong_shape_is_refused_with_its_reason(url):
    with pytest.raises(AddressRefused) as refused:
        targets.parse(url, allow_loopback=False)

    assert str(refused.value).startswith(SHAPES[url])


@pytest.mark.parametrize(
    "host",
    [
        "\uff11\uff12\uff17.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "ⓛocalhost",
        "localhost.",
        "127.0.0.1.",
        "%6c%6fcalhost",
        "%31%32%37.0.0.1",
        "0%78%37f.1",
    ],
)
def test_no_way_to_write_loopback_gets_around_the_check(host):
    with pytest.raises(AddressRefused):
        targets.parse(f"https://{host}/", allow_loopback=False)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9000/", "http://localhost/a?b=c", "http://[::1]:9/", "https://[::1]/"]
)
def test_loopback_is_taken_in_the_clear_where_it_is_allowed(url):
    targets.parse(url, allow_loopback=True)

    with pytest.raises(AddressRefused):
        targets.parse(url, allow_loopback=False)


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        ("https://EXAMPLE.com", "example.com", "/"),
        ("https://example.com./a/../b?c=d#e", "example.com", "/b?c=d"),
        ("HTTPS://bücher.example/ä", "xn--bcher-kva.example", "/%C3%A4"),
    ],
)
def test_a_url_is_taken_apart_as_it_will_be_sent(url, host, path):
    target = targets.parse(url, allow_loopback=False)

    assert (target.host, target.port, target.path) == (host, 443, path)
    assert target.host_header == host
    assert target.origin == ("https", host, 443)


def test_http_to_a_host_that_is_public_is_refused_though_loopback_is_allowed():
    target = targets.parse("http://localhost/", allow_loopback=True)

    with pytest.raises(AddressRefused, match="https://, or http to loopback"):
        targets.check_address(target, "93.184.216.34", allow_loopback=True)
