import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import { isDemoAddress } from '#core/kernel/webhook/web-address.ts'
import { outboundHttp } from './outbound-http.ts'

/**
 * The demo flow's endpoint is this service itself, at an address that customers cannot name and that nobody may be sent to. It has a door of
 * its own: one address, one port, one path. `listening` is known once the service listens.
 */
export const withDemoAssistant = (outbound: OutboundHttp, listening: () => string): OutboundHttp => {
  let door: OutboundHttp | undefined
  return {
    request(wanted) {
      if (!isDemoAddress(wanted.url)) return outbound.request(wanted)
      const { host } = new URL(listening().replace('[::]', '[::1]'))
      door ??= outboundHttp({ allow: [host] })
      return door.request({ ...wanted, url: `http://${host}/demo/assistant${new URL(wanted.url).search}` })
    },
    close: async () => door?.close(),
  }
}
