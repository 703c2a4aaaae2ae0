"""
What a run stands on and no Python package brings: the Java reference, Toxiproxy, two preload
libraries, container images. Each is looked for, else made once into the user's cache.

A module owns one supply and answers one question ("where is it?"); a supply that cannot be had
is a `CannotRun` that names the way out. Nothing here knows of clusters, targets or verdicts.
"""
