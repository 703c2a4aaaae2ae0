"""What `eureka-server --help` teaches, beside its options."""

from __future__ import annotations

from typing import Final

DESCRIPTION: Final = (
    "A Eureka registry: instances register, renew and find each other; nodes replicate."
)

MANUAL: Final = """\
settings
  They have the names of Spring Cloud Netflix,
  so the application.yml of a Java server serves here too:

      server:
        port: 8761
      eureka:
        instance:
          hostname: registry-a
        client:
          service-url:
            defaultZone: http://registry-b:8761/eureka/
        server:
          enable-self-preservation: true
          eviction-interval-timer-in-ms: 60000

  Case, hyphens and underscores in names do not count. Every setting can come from
  the environment instead, which goes before the file:
  EUREKA_SERVER_EVICTIONINTERVALTIMERINMS=5000.
  ${NAME:default} is replaced, later documents of a file go before earlier ones,
  documents for a profile count if SPRING_PROFILES_ACTIVE names it.
  A name that nobody knows is refused, with the nearest right one.
  --check-config prints what is in force, and where each value comes from.

more than one node
  List the peers of each under service-url.defaultZone; a node leaves itself out.
  With zones: availability-zones.<region>, service-url.<zone> and
  eureka.instance.metadata-map.zone; the own zone is asked first.
  SIGHUP has the list of peers read again, as does time
  (peer-eureka-nodes-update-interval-ms).
  Unless register-with-eureka is false the node is an instance too.

who may call
  spring.security.user.name and .password ask for a login; health stays open.
  Peers log in by their URLs: http://node:password@registry-b:8761/eureka/
  server.ssl.certificate and .certificate-private-key (PEM) make it TLS;
  server.ssl.client-auth: need and .trust-certificate ask clients for certificates.
  Peers over https are believed by the machine's authorities,
  or those of eureka.client.tls.trust-store.

other regions
  eureka.server.remote-region-urls-with-name.<region>: URL, and
  .remote-region-app-whitelist.<region>: which of its applications are shown.

what it serves beside the protocol
  /                       the status page; /lastn: the last leases
  /registry/state         the same as JSON; also /registry/applications and /registry/recent
  /metrics                for Prometheus
  /health/live, /health/ready    not ready while it copies a peer's registry

examples
  eureka-server                                   serve on port 8761, alone
  eureka-server --config application.yml          as it says there
  eureka-server --config application.yml --check-config
  eureka-server --log-format json                 one JSON object a line, on standard error
  eureka-server --speed 10                        ten registry seconds in each real one, for tests

exit codes
  0 ended by SIGTERM or SIGINT, within 3 s     2 wrong arguments
  3 wrong settings, or the port is in use
"""
