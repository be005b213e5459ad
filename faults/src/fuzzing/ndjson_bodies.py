"""Lets schemathesis send NDJSON: bodies of one line."""

import json

import schemathesis

MEDIA_TYPE = "application/x-ndjson"


@schemathesis.serializer(MEDIA_TYPE)
def serialize(context, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()
