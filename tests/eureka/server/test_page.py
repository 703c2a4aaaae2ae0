"""The pages for people, as HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from eureka.server.page import MOST_INSTANCES

if TYPE_CHECKING:
    from tests.eureka.server.conftest import Reply, Running, Stage

JSON = "application/json"
VOID = ("meta", "br", "path")


class Page(HTMLParser):
    """A page taken apart; complains where tags are not closed in order."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        assert reply.status == 200
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        self.text = reply.body.decode()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(self.text)
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        self.words.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last."""
        if tag not in VOID:
            assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        """Note words, for every element they stand in."""
        for tag in set(self.open):
            self.words[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


async def page(server: Running, path: str = "/") -> Page:
    """Return a page."""
    return Page(await server.call("GET", path))


async def register(server: Running, stage: Stage, name: str, app: str, **fields: object) -> None:
    """Register an instance."""
    body = stage.registration(name, app, **fields)
    reply = await server.call("POST", f"/eureka/apps/{app}", body, Content_Type=JSON)
    assert reply.status == 204, reply


def test_the_page_has_landmarks_headings_and_captions(stage: Stage) -> None:
    """What a screen reader goes by; every table says what it is about, every row what it is of."""

    async def story() -> None:
        async with stage.running(peers=("http://127.0.0.1:1/eureka/",)) as server:
            await register(server, stage, "1", "CART")
            found = await page(server)

            assert [len(found.all(tag)) for tag in ("main", "header", "footer", "nav", "h1")] == [
                1
            ] * 5
            assert found.all("html") == [{"lang": "en"}]
            assert all(section["aria-labelledby"] for section in found.all("section"))
            ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
            assert len(set(ids)) == len(ids)
            assert {section["aria-labelledby"] for section in found.all("section")} <= set(ids)
            assert len(found.all("caption")) == len(found.all("table")) > 3
            assert all("scope" in cell for cell in found.all("th"))
            assert found.all("script") == []
            assert found.all("a")[0]["href"] == "#content"
            assert "width=device-width" in found.text
            assert "prefers-color-scheme:dark" in found.text

    stage.play(story())


def test_what_is_shown_is_escaped(stage: Stage) -> None:
    """Ids, hosts, zones, statuses; links lead to pages only."""
    evil = '"><script>alert(1)</script>'

    async def story() -> None:
        async with stage.running() as server:
            await register(
                server,
                stage,
                evil.replace("/", "|"),
                "EVIL",
                hostName=evil,
                metadata={"zone": evil},
                statusPageUrl="javascript:alert(1)",
            )
            await register(server, stage, "2", "FINE", statusPageUrl="https://fine/'\"><b>")
            await server.call("DELETE", "/eureka/apps/FINE/none")
            for path in ("/", "/lastn"):
                found = await page(server, path)
                assert found.all("script") == []
                assert found.all("b") == [{}]
                assert not any("javascript" in str(a["href"]) for a in found.all("a"))
            hrefs = [a["href"] for a in (await page(server)).all("a")]
            assert "https://fine/'\"><b>" in hrefs
            assert evil in (await page(server)).words["main"][0]

    stage.play(story())


def test_applications_are_shown_with_zones_and_what_is_not_up(stage: Stage) -> None:
    """By zone and status; at most fifty ids of an application."""

    async def story() -> None:
        async with stage.running() as server:
            for number in range(MOST_INSTANCES + 3):
                await register(
                    server, stage, f"id-{number:03}", "CART", metadata={"zone": f"z{number % 2}"}
                )
            await register(server, stage, "id-052", "CART", status="DOWN", lastDirtyTimestamp=101)
            await server.call("PUT", "/eureka/apps/CART/id-051/status?value=OUT_OF_SERVICE")
            words = (await page(server)).words

            text = " ".join(words["main"][0].split())
            assert "53 instances of 1 application registered, 2 of them not UP." in text
            assert "z0 (26), z1 (26), default (1)" not in text
            assert "default (1), z0 (26), z1 (26)" in text
            assert "UP (51)" in text
            assert "OUT_OF_SERVICE (1)" in text
            assert "id-051 OUT_OF_SERVICE overridden" in text
            assert "id-052 DOWN" in text
            assert "and 3 more" in text

    stage.play(story())


def test_a_peer_is_shown_as_it_answers_without_its_login(stage: Stage) -> None:
    """One that fails is said so in the first sentence."""

    async def story() -> None:
        url = "http://node:s3cret@127.0.0.1:1/eureka/"
        async with stage.running(peers=(url,), speed=10) as server:
            await register(server, stage, "1", "CART")
            await stage.until(lambda: "peer-fails" in server.log, "the failing peer")
            found = await page(server)
            state = await server.call("GET", "/registry/state")

            assert "1 of 1 peers failing" in found.words["h1"][0]
            assert "fails" in found.words["main"][0]
            assert "http://127.0.0.1:1/eureka/" in found.text
            for text in (found.text, state.body.decode(), server.log):
                assert "s3cret" not in text

    stage.play(story())


def test_the_emergency_line_stands_while_renewals_are_missing(stage: Stage) -> None:
    """With the words people watch for, why, and what would end it."""

    async def story() -> None:
        async with stage.running(speed=1000, wait_when_sync_empty=60.0) as server:
            for number in range(3):
                await register(server, stage, str(number), "CART")
            await stage.until(
                lambda: server.server.service.clock.monotonic() > 125, "two minutes of the registry"
            )
            text = (await page(server)).words["main"][0]

            assert "EMERGENCY! EUREKA MAY BE INCORRECTLY CLAIMING INSTANCES ARE UP" in text
            assert "No renewal came in the last whole minute, and more than 6 are needed" in text
            assert "It ends with the first whole minute of at least 7 renewals." in text

    stage.play(story())


@pytest.mark.parametrize(("speed", "few"), [(1.0, False), (1000.0, True)])
def test_another_line_stands_where_self_preservation_is_off(
    stage: Stage, speed: float, *, few: bool
) -> None:
    """It warns of what can happen, and more when it may be happening."""

    async def story() -> None:
        async with stage.running(
            speed=speed, self_preservation=False, wait_when_sync_empty=1.0
        ) as server:
            clock = server.server.service.clock
            await stage.until(lambda: clock.monotonic() > (90 if few else 0), "the wait")
            text = (await page(server)).words["main"][0]

            assert "THE SELF PRESERVATION MODE IS TURNED OFF." in text
            assert ("RENEWALS ARE LESSER THAN THE THRESHOLD." in text) is few
            assert "EMERGENCY!" not in text

    stage.play(story())


def test_the_last_leases_are_listed(stage: Stage) -> None:
    """The newest first, with how they went and whether they were known."""

    async def story() -> None:
        async with stage.running() as server:
            await register(server, stage, "1", "CART")
            await register(server, stage, "1", "CART")
            await server.call("DELETE", "/eureka/apps/CART/1")
            rows = (await page(server, "/lastn")).words["tr"]

            words = [row.partition("CART/1")[2].strip() for row in rows if "CART/1" in row]
            assert words == ["cancelled", "yes", "no"]

    stage.play(story())


def test_an_empty_node_says_so(stage: Stage) -> None:
    """On both pages."""

    async def story() -> None:
        async with stage.running() as server:
            text = (await page(server)).words["main"][0]
            assert "0 instances of 0 applications registered." in text
            assert "No instances available" in text
            assert "This node has no peers" in text
            assert "None was cancelled" in (await page(server, "/lastn")).words["main"][0]

    stage.play(story())


def test_a_node_that_refuses_lists_says_so(stage: Stage) -> None:
    """After an empty start, and for how it knows."""

    async def story() -> None:
        async with stage.running(open_count=0) as server:
            await stage.until(lambda: "opened" in server.log, "the registry to open")
            assert "List reads are refused for now." in (await page(server)).words["main"][0]

    stage.play(story())


def test_the_page_can_be_moved_and_switched_off(stage: Stage) -> None:
    """By Spring's settings of the dashboard."""

    async def story() -> None:
        async with stage.running(dashboard_path="/status") as server:
            assert (await server.call("GET", "/")).status == 404
            await page(server, "/status")
        async with stage.running(dashboard=False) as server:
            assert (await server.call("GET", "/")).status == 404
            assert (await server.call("GET", "/lastn")).status == 404
            assert (await server.call("GET", "/registry/state")).status == 200

    stage.play(story())


def test_browsers_are_told_to_trust_nothing_else(stage: Stage) -> None:
    """No script, no frames, no copies."""

    async def story() -> None:
        async with stage.running() as server:
            reply = await server.call("GET", "/")
            assert reply.headers["content-security-policy"].startswith("default-src 'none';")
            assert reply.headers["x-content-type-options"] == "nosniff"
            assert reply.headers["cache-control"] == "no-store"

    stage.play(story())
