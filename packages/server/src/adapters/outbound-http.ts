import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { OutboundFailure, type OutboundHttp, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { checkedConnector, refuseBadUrl, wallClock, type CheckedConnector, type OutboundOptions } from './checked-connector.ts'
import { OutboundExchange, unwanted } from './outbound-exchange.ts'

export type { Lookup } from './checked-connector.ts'

const IDLE_CONNECTION_MS = 10_000
const LONGEST_IDLE_CONNECTION_MS = 60_000
/** These describe the connection or the encoding, which are ours to decide. */
const OUR_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

export function outboundHttp(options: OutboundOptions): OutboundHttp {
  const connector = checkedConnector(options)
  const { clock = wallClock } = options
  const underWay = new Set<OutboundExchange>()
  const agent = new Agent({
    connect: forUndici(connector),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: LONGEST_IDLE_CONNECTION_MS,
    // One deadline covers everything, see OutboundExchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async request(wanted) {
      const options = dispatchOptions(wanted)
      if (wanted.signal?.aborted === true) throw unwanted()
      const exchange = new OutboundExchange(wanted, clock)
      underWay.add(exchange)
      agent.dispatch(options, exchange)
      try {
        return await exchange.reply
      } finally {
        underWay.delete(exchange)
      }
    },
    async close() {
      const closed = agent.close()
      await Promise.allSettled([...underWay].map(({ reply }) => reply))
      // Pending connections belong to requests that have been given up.
      connector.close()
      await closed
    },
  }
}

function dispatchOptions({ url: text, method, headers = {}, body, bytes }: OutboundRequest): Dispatcher.DispatchOptions {
  const url = refuseBadUrl(text, 'http', 'https')
  for (const name of Object.keys(headers)) {
    if (OUR_HEADERS.has(name.toLowerCase())) throw new OutboundFailure('refused', `The header ${name.toLowerCase()} cannot be set`)
  }
  const path = `${url.pathname}${url.search}`
  return { origin: url.origin, path, method, headers: { ...headers, 'accept-encoding': 'identity' }, body: bytes ?? body ?? null }
}

function forUndici(connector: CheckedConnector): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:'
    connector.connect({ hostname, secure, port: port ? Number(port) : secure ? 443 : 80 }, callback)
  }
}
