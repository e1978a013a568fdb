import { Agent, errors, request, type buildConnector, type Dispatcher } from 'undici'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'
import { within } from '#core/kernel/work/within.ts'
import { checkedConnector, errorCode, refuseBadUrl, wallClock, type CheckedConnector, type OutboundOptions } from './checked-connector.ts'

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
  const underWay = new Set<Promise<OutboundReply>>()
  const agent = new Agent({
    connect: forUndici(connector),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: LONGEST_IDLE_CONNECTION_MS,
    // One deadline covers everything, see withDeadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    async request(wanted) {
      const sending = requestOptions(wanted, wanted.onWire ? watched(agent, wanted.onWire) : agent)
      const reply = withDeadline(wanted, clock, (signal) => exchange(wanted, { ...sending, signal }))
      underWay.add(reply)
      return reply.finally(() => underWay.delete(reply))
    },
    async close() {
      const closed = agent.close()
      await Promise.allSettled(underWay)
      // What still tries to connect belongs to requests that have been given up.
      connector.close()
      await closed
    },
  }
}

type RequestOptions = { dispatcher: Dispatcher } & Omit<Dispatcher.RequestOptions, 'origin' | 'path'>

function requestOptions({ url, method, headers = {}, body }: OutboundRequest, dispatcher: Dispatcher): RequestOptions {
  refuseBadUrl(url, 'http', 'https')
  for (const name of Object.keys(headers)) {
    if (OUR_HEADERS.has(name.toLowerCase())) throw new OutboundFailure('refused', `The header ${name.toLowerCase()} cannot be set`)
  }
  return { dispatcher, method, headers: { ...headers, 'accept-encoding': 'identity' }, body: body ?? null }
}

async function exchange({ url, maxBytes }: OutboundRequest, options: RequestOptions): Promise<OutboundReply> {
  const { statusCode, headers, body } = await request(new URL(url), options)
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop early destroys the stream and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new OutboundFailure('too_large', `The answer has more than ${maxBytes} bytes`, statusCode)
    chunks.push(chunk)
  }
  return { status: statusCode, headers: singleValues(headers), body: Buffer.concat(chunks) }
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

/** The signal alone would not do: undici heeds it only once the connection stands. */
function withDeadline<T>(
  { deadlineMs, signal }: OutboundRequest,
  clock: Pick<Clock, 'after'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return within(clock, deadlineMs, signal, work, givenUp).catch((error: unknown) => {
    throw asFailure(error)
  })
}

const givenUp = {
  late: (ms: number) => new OutboundFailure('timeout', `No complete answer within ${ms} ms`),
  unwanted: () => new OutboundFailure('aborted', 'Nobody waits for the answer any more'),
}

/** Messages carry the kind of error but never an address: they are shown to customers, who must not map our network with them. */
function asFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  if (error instanceof errors.InvalidArgumentError) return new OutboundFailure('refused', `The request is not valid: ${error.message}`)
  if (error instanceof errors.HeadersOverflowError) return new OutboundFailure('too_large', 'The answer has too many headers')
  return new OutboundFailure('broken', `The connection broke before the answer was complete (${errorCode(error)})`)
}

function forUndici(connector: CheckedConnector): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:'
    connector.connect({ hostname, secure, port: port ? Number(port) : secure ? 443 : 80 }, callback)
  }
}

/** Tells when the last byte of the request was given to a connection that stands. */
function watched(agent: Agent, onWire: () => void): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    agent.dispatch(options, {
      onRequestStart: (...told) => handler.onRequestStart?.(...told),
      onRequestSent: onWire,
      onResponseStart: (...told) => handler.onResponseStart?.(...told),
      onResponseData: (...told) => handler.onResponseData?.(...told),
      onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
      onResponseError: (...told) => handler.onResponseError?.(...told),
    })
  return { dispatch } as Dispatcher
}
