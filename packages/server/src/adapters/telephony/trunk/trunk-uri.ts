import { isIP, isIPv6 } from 'node:net'
import type { TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import { formatUri, makeUri } from '@offhook/sip/grammar/uri.ts'

/** The Route that leads there through an outbound proxy, as a list. */
export const trunkRoutes = ({ outboundProxy = '' }: Pick<TrunkSettings, 'outboundProxy'>): string[] => {
  if (outboundProxy === '') return []
  return [`<sip:${outboundProxy}${outboundProxy.includes(';') ? '' : ';transport=udp'};lr>`]
}

/**
 * Where a trunk is called. A host name with the usual port is written without it, so that the carrier's SRV records count
 * (RFC 3263 §4.2).
 */
export const trunkUri = ({ host, port, transport }: Pick<TrunkSettings, 'host' | 'port' | 'transport'>, user?: string): string => {
  const usual = transport === 'TLS' ? 5061 : 5060
  return formatUri(
    makeUri({
      user,
      host: isIPv6(host) ? `[${host}]` : host,
      port: isIP(host) === 0 && port === usual ? undefined : port,
      params: { transport: transport.toLowerCase() },
    }),
  )
}
