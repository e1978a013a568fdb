import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { isDemoAddress } from '#core/kernel/webhook/web-address.ts'
import { outboundHttp } from './outbound-http.ts'

/**
 * The demo flow's endpoint is this service itself, at an address that customers cannot use and that the egress rules forbid. It is reached
 * by a separate client, for one address, one port and one path. `listening` is known once the service listens.
 */
export const withDemoAssistant = (outbound: OutboundHttp, listening: () => string): OutboundHttp => {
  let client: OutboundHttp | undefined
  return {
    request(wanted) {
      if (!isDemoAddress(wanted.url)) return outbound.request(wanted)
      const { host } = new URL(listening().replace('[::]', '[::1]'))
      client ??= outboundHttp({ allow: [host] })
      return client.request({ ...wanted, url: `http://${host}/demo/assistant${new URL(wanted.url).search}` })
    },
    close: async () => client?.close(),
  }
}
