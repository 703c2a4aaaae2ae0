"""
A plain model of a registry, written from the catalogue, and what judges a real one by it.

    call       what a client may say, as values
    prediction what is due: statuses and facts, each with the rows that say so
    registry   the model: a call in, a prediction out; readable as a specification
    dialect    known deviations that a prediction can take over, or a draw can leave out
    program    drawn sequences of calls
    play       a program played on a real registry beside the model; the first thing that differs
    search     many programs, the failing one made as short as it can be

`call`, `prediction`, `registry` and `dialect` are pure: no I/O, no clock, no randomness.
"""
