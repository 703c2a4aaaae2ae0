"""
What the registry costs, beside what others cost: one command, one table, ratios with their spread.

It knows registries as processes that speak HTTP, and nothing of the registry's code.
"""
