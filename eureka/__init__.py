"""
A Eureka registry in Python:
pure rules (`core`), their wire form (`wire`), a thin shell (`server`).
"""

__version__ = "0.1.0"
