import type { Clock } from '#core/kernel/ports/platform.ts'
import type { OutboundHttp, OutboundSockets } from '#core/kernel/ports/outbound.ts'
import { GatewaySocket } from './gateway-socket.ts'

interface GatewaySocketsDeps {
  clock: Pick<Clock, 'now' | 'after'>
  outbound: Pick<OutboundHttp, 'request'>
}

/**
 * Endpoints with third-party protocols are reached like all others: a gateway in between translates our frames, and reaches the customer's
 * server by the same rules.
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
