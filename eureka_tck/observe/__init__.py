"""
Recorded timelines: what a registry does over time, recorded once and judged fact by fact.

Measuring: `observer` (reads, and believes the registry's stamps), `runs` (eviction runs told from
them), `minutes` (in which renewals are counted), `tape` (the evidence every recording keeps).

Recordings, each made by one function, each a frozen value: `leases`, `evictions`, `stall`,
`bracket`, `silence`, `recount`, `beginning`, `mesh`; `fixtures` hands them to the suites.
A recording judges nothing. It raises `Inconclusive` where the mechanism it watches never fired,
or where we were too late for what it needs.
"""
