"""How much memory an upload takes: `python -m bench.upload_memory` (Linux, a minute at most).

It starts the whole service on an empty sandbox, uploads documents to a lead, and compares what the
service's processes held at most with what they held before. The wanted ratio of the growth to
the documents' decoded size is printed beside the one found; the exit status says whether it holds.
"""

import argparse
import base64
import json
import secrets
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from bench.service import Service, running_service

MIB = 1024**2
MOST = 4  # times the decoded size
WARM_UP = 60  # small uploads, so that every worker has done everything once


def body_of(sizes: list[int]) -> bytes:
    """Return the body of an upload: documents of random bytes behind the mark of a PDF."""
    contents = (base64.b64encode(b"%PDF-1.7\n" + secrets.token_bytes(size - 9)) for size in sizes)
    documents = (
        b'{"contentType":"application/pdf","fileName":"%d.pdf","content":"%s"}' % (number, content)
        for number, content in enumerate(contents)
    )
    return b'{"documentDataList":[%s]}' % b",".join(documents)


def upload(service: Service, body: bytes) -> None:
    """Register a lead and upload to it."""
    email = f"{secrets.token_hex(8)}@example.com"
    lead = service.call("PUT", "lead", json.dumps({"email": email}).encode())
    answer = service.call("PUT", f"lead/{lead['customerId']}/upload", body)
    statuses = {document["status"] for document in answer["documents"]}
    if statuses != {"RECEIVED"}:
        raise RuntimeError(f"The documents became {statuses}.")


def measure(service: Service, bodies: list[bytes], decoded: int) -> float:
    """Upload all bodies at the same time; print and return the growth over the decoded size."""
    idle = service.resident()
    service.forget_peak()
    start = time.perf_counter()
    with ThreadPoolExecutor(len(bodies)) as pool:
        list(pool.map(lambda body: upload(service, body), bodies))
    seconds = time.perf_counter() - start
    growth = service.peak() - idle
    ratio = growth / decoded
    sys.stdout.write(
        f"decoded {decoded / MIB:6.1f} MiB   idle {idle / MIB:6.1f} MiB   "
        f"peak {(idle + growth) / MIB:6.1f} MiB   growth {growth / MIB:5.1f} MiB   "
        f"ratio {ratio:4.2f} (at most {MOST})   {seconds:4.2f} s\n"
    )
    return ratio


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mebibytes", type=int, default=25, help="Decoded, of an upload (25).")
    parser.add_argument("--documents", type=int, default=5, help="In an upload (5).")
    parser.add_argument("--parallel", type=int, default=1, help="Uploads at the same time (1).")
    parser.add_argument("--rounds", type=int, default=3, help="Uploads one after another (3).")
    options = parser.parse_args()
    sizes = [options.mebibytes * MIB // options.documents] * options.documents
    bodies = [body_of(sizes) for _ in range(options.parallel)]
    decoded = sum(sizes) * options.parallel
    with running_service() as service:
        small = body_of([300_000])
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: upload(service, small), range(WARM_UP)))
        ratios = [measure(service, bodies, decoded) for _ in range(options.rounds)]
    return int(max(ratios) > MOST)


if __name__ == "__main__":
    sys.exit(main())
