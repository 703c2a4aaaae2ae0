"""
What shall happen in a chaos run, as data; and the runner that makes it happen.

`scenario` is what somebody wrote, `schedule` what a seed made of it, down to each instant:
both are values and do nothing. `runner` plays a schedule on a cluster.
"""

from eureka_tck.schedules.scenario import Scenario, load_scenario, read_scenario
from eureka_tck.schedules.schedule import Schedule, draw

__all__ = ["Scenario", "Schedule", "draw", "load_scenario", "read_scenario"]
