"""The Locust user that is a whole fleet: many instances, each on its own renewal schedule."""
