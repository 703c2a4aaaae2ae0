"""What must not be read by everybody who reads a log or a page: credentials in URLs."""

from __future__ import annotations

import re
from typing import Final

_LOGIN: Final = re.compile(r"(?<=//)[^/?#\s'\"]*@")


def redacted(text: str) -> str:
    """
    Return the text with the login of every URL in it taken out.

    >>> redacted("no answer from http://node:s3cret@registry-b:8761/eureka/")
    'no answer from http://registry-b:8761/eureka/'
    """
    return _LOGIN.sub("", text)
