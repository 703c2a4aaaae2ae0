"""
What uses the registries while they are broken, and what watches them.

`caller` makes one call and records it, `crew` are the threads that call, one a node;
`tenant` is the client of one instance; `renewals`, `leaving`, `changes`, `abandoned` and `readers`
say what is called and when; `sampler` reads every node all the time and
`watch` holds what it saw last. All of it is bounded: threads by nodes, calls by budgets.
"""
