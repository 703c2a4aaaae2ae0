"""Which links a partition of a shape cuts: geometry of a cluster, without any effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from eureka_tck.links import CLIENT, link_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eureka_tck.schedules import scenario

FEWEST: dict[str, int] = {"one": 2, "halves": 2, "bridge": 3, "ring": 4, "clients": 1}
"""How many nodes a shape needs: in a ring of three all are neighbours."""


def from_node(node: str, nodes: Sequence[str]) -> tuple[str, ...]:
    """Return all nodes in their order, beginning with this one."""
    first = nodes.index(node)
    return (*nodes[first:], *nodes[:first])


def crossing(
    node: str, others: Sequence[str], direction: Literal["both", "in", "out"]
) -> tuple[str, ...]:
    """Return the links between a node and others: those out of it, into it, or both."""
    outward = tuple(link_name(node, other) for other in others)
    inward = tuple(link_name(other, node) for other in others)
    return {"both": outward + inward, "out": outward, "in": inward}[direction]


def way(node: str, direction: Literal["both", "in", "out"]) -> str:
    """Return which of the links between a node and its peers are meant, in words."""
    return {
        "both": f"between node {node} and its peers",
        "out": f"from node {node} to its peers",
        "in": f"from the peers to node {node}",
    }[direction]


def cut_links(data: scenario.Partition, nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the links that the partition cuts."""
    turned = from_node(data.node, nodes)
    found: tuple[str, ...] = ()
    if data.shape == "one":
        found = crossing(data.node, [one for one in nodes if one != data.node], data.direction)
    elif data.shape == "halves":
        half = turned[: len(turned) // 2]
        for one in half:
            found += crossing(one, turned[len(half) :], data.direction)
    elif data.shape == "bridge":
        rest = turned[1:]
        for one in rest[: len(rest) // 2]:
            found += crossing(one, rest[len(rest) // 2 :], "both")
    elif data.shape == "ring":
        last = len(turned) - 1
        found = tuple(
            link_name(one, other)
            for here, one in enumerate(turned)
            for there, other in enumerate(turned)
            if abs(here - there) not in (0, 1, last)
        )
    if data.clients or data.shape == "clients":
        found += (link_name(CLIENT, data.node),)
    return found


def still_joined(node: str, nodes: Sequence[str], cut: Sequence[str]) -> frozenset[str]:
    """Return the nodes to which some way leads from a node, over links whole either way."""
    found, edge = {node}, [node]
    while edge:
        here = edge.pop()
        for other in nodes:
            whole = {link_name(here, other), link_name(other, here)} - set(cut)
            if other not in found and whole:
                found.add(other)
                edge.append(other)
    return frozenset(found)


def told(data: scenario.Partition, nodes: Sequence[str]) -> str:
    """Return what the partition does, as a sentence without its capital and its full stop."""
    turned = from_node(data.node, nodes)
    if data.shape == "clients":
        return f"node {data.node} is cut off from its clients"
    if data.shape == "ring":
        return "each node is cut off from all but its two neighbours"
    if data.shape == "bridge":
        rest = turned[1:]
        left, right = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        said = f"{_nodes(left)} and {_nodes(right)} speak to node {data.node} only"
    elif data.shape == "halves":
        half = turned[: len(turned) // 2]
        rest = turned[len(half) :]
        said = {
            "both": f"{_nodes(half)} {_is(half)} cut off from {_nodes(rest)}",
            "out": f"what {_nodes(half)} {_send(half)} {_nodes(rest)} is cut off",
            "in": f"what {_nodes(rest)} {_send(rest)} {_nodes(half)} is cut off",
        }[data.direction]
    else:
        said = {
            "both": f"node {data.node} is cut off from its peers",
            "out": f"what node {data.node} sends its peers is cut off",
            "in": f"what the peers send node {data.node} is cut off",
        }[data.direction]
    return f"{said}, and {_of(data)} from its clients" if data.clients else said


def _of(data: scenario.Partition) -> str:
    return "the node" if data.shape == "one" else f"node {data.node}"


def _nodes(some: Sequence[str]) -> str:
    return f"node {some[0]}" if len(some) == 1 else f"nodes {', '.join(some)}"


def _is(some: Sequence[str]) -> str:
    return "is" if len(some) == 1 else "are"


def _send(some: Sequence[str]) -> str:
    return "sends" if len(some) == 1 else "send"
