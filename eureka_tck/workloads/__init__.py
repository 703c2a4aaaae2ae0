"""
What uses the registries while they are broken, and what watches them.

`caller` makes one call and records it, `crew` are the threads that call, one a node;
`renewals` and `abandoned` say what they call and when; `sampler` reads every node all the time and
`watch` holds what it saw last. All of it is bounded: threads by nodes, calls by budgets.
"""
