"""
The rules of a Eureka registry, without I/O: no clock, no network, no log.

Every method that depends on time takes `now`, an `Instant`;
every one that depends on chance takes `rng`.
Durations and instants are seconds (`float`); what ends in `_ms` is a stamp in epoch milliseconds,
shown to people and never used to decide.
"""
