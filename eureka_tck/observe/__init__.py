"""
Recorded timelines: what a registry does over time, recorded once and judged fact by fact.

Measuring: `runs` (eviction runs from the registry's own stamps), `chance` (is a choice of victims
random), `windows` (the minutes in which renewals are counted), `tape` (what every recording keeps).
Recordings, one a profile: `leases`, `evictions`, `bracket`, `silence`, `recount`, `stall`, `mesh`,
`beginning`. Each is made by one function and is a frozen value; it raises `Inconclusive`
where the mechanism it watches never fired, and judges nothing.
"""
