import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import { GatewaySocket } from './gateway-socket.ts'

export interface GatewaySocketsDeps {
  clock: Pick<Clock, 'now' | 'after'>
  outbound: Pick<OutboundHttp, 'request'>
}

/**
 * Endpoints that speak the language of another system are reached like all others: a gateway stands between, takes our frames and gives ours, and
 * reaches the customer's server by the same rules.
 */
export const withGateways = (sockets: OutboundSockets, deps: GatewaySocketsDeps): OutboundSockets => {
  const open = new Set<GatewaySocket>()
  return {
    connect(input, observer) {
      const { gateway } = input
      if (!gateway) return sockets.connect(input, observer)
      const socket = new GatewaySocket({ ...deps, sockets, wish: { ...input, gateway }, onOver: () => open.delete(socket) }, observer)
      open.add(socket)
      return socket
    },
    async close() {
      for (const socket of open) socket.destroy()
    },
  }
}
