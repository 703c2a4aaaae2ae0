"""The wire form of the registry's values: bytes in, core values out, and back. No I/O, no rules."""
