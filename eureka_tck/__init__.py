"""The judge of Eureka registries: starts them, asks them, breaks them, and says what held."""

__version__ = "0.1.0"
