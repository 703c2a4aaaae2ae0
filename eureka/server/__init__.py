"""
The shell around `eureka.core`: sockets, clocks, settings, log.
No rule of the protocol lives here.
"""
