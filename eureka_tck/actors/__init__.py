"""Those who speak to a registry, or pretend to be one: as the suites script them."""
