"""A registry that answers 200 to the renewal of an instance it has never heard of."""

import sys

from eureka.core.errors import UnknownInstance
from eureka.core.instance import Key
from eureka.server.__main__ import main
from eureka.server.changing import Changing
from eureka.server.exchange import Request, Response

renew = Changing._renew


def renewed(self: Changing, request: Request) -> Response:
    """Renew as the right registry does, and say 200 where it would have said 404."""
    key = Key(request.target.name, request.target.id)
    try:
        return renew(self, request)
    except UnknownInstance:
        if self._node.registry.leases.find(key) is not None:  # its status is UNKNOWN: RENEW-07
            raise
        return Response(200)


Changing._renew = renewed  # type: ignore[method-assign] # that is the sabotage
sys.exit(main())
