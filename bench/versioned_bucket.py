"""A bucket with versions on a server of moto's, emptied by delete markers and restored from them.

boto3 and moto are imported when they are used: the environment names the credentials first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

NAME, REGION = "documents", "us-east-1"


@dataclass(frozen=True)
class Bucket:
    """A bucket, and the address of its server."""

    endpoint: str
    client: Any

    def sizes(self) -> dict[str, int]:
        """Return the size of each object by its key."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=NAME)
        return {one["Key"]: one["Size"] for page in pages for one in page.get("Contents", [])}

    def empty(self) -> int:
        """Delete all objects, whose versions stay; return their number."""
        keys = list(self.sizes())
        for key in keys:
            self.client.delete_object(Bucket=NAME, Key=key)
        return len(keys)

    def restore(self) -> int:
        """Remove the delete markers, so that the versions below are back; return their number."""
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=NAME)
        markers = [one for page in pages for one in page.get("DeleteMarkers", [])]
        for one in markers:
            self.client.delete_object(Bucket=NAME, Key=one["Key"], VersionId=one["VersionId"])
        return len(markers)


@contextmanager
def serving() -> Iterator[Bucket]:
    """Serve an empty bucket with versions."""
    import logging

    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3.session.Session().client("s3", endpoint_url=endpoint, region_name=REGION)
        client.create_bucket(Bucket=NAME)
        versions = {"Status": "Enabled"}
        client.put_bucket_versioning(Bucket=NAME, VersioningConfiguration=versions)
        yield Bucket(endpoint, client)
    finally:
        server.stop()
