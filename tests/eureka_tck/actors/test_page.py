"""What is read of a status page: the replicas it lists as available."""

from __future__ import annotations

from eureka_tck.actors.page import replicas

SPRING = """
<table><tr><td>registered-replicas</td><td>http://b:1/eureka/</td></tr>
<tr><td>unavailable-replicas</td><td>http://b:1/eureka/,</td></tr>
<tr><td>available-replicas</td><td>http://c:1/eureka/,http://d:1/eureka/,</td></tr></table>
"""


def test_available_replicas_are_read() -> None:
    """Only what stands beside that caption counts, not beside `unavailable-replicas`."""
    assert replicas(SPRING) == {"http://c:1/eureka/", "http://d:1/eureka/"}


def test_what_follows_is_not_read() -> None:
    """The list ends where the next caption begins."""
    page = "available-replicas <b>http://c:1/</b> unavailable-replicas http://d:1/"

    assert replicas(page) == {"http://c:1/"}


def test_a_page_without_the_list_has_none() -> None:
    """Another page lists nobody."""
    assert replicas("<p>http://c:1/</p>") == frozenset()
