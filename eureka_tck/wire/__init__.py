"""Our own small HTTP client of a registry: every read bounded, recorded and redacted."""
