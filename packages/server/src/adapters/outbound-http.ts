import { lookup as systemLookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Agent, errors, request, type buildConnector, type Dispatcher } from 'undici'
import { OutboundFailure, type OutboundHttp, type OutboundReply, type OutboundRequest } from '../core/ports/outbound-http.ts'
import { addressRules, type AddressRules } from './address-rules.ts'

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

export interface OutboundOptions {
  /** Exceptions from "public addresses only", see address-rules.ts. */
  allow: string[]
  lookup?: Lookup
}

const CONNECT_TIMEOUT_MS = 2000
/** When a name has several addresses: how long one of them may take before the next is tried. */
const NEXT_ADDRESS_AFTER_MS = 500
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

export function outboundHttp({ allow, lookup = lookUpWithSystem }: OutboundOptions): OutboundHttp {
  const connecting = new Set<Socket>()
  const underWay = new Set<Promise<OutboundReply>>()
  const agent = new Agent({
    connect: checkedConnector(addressRules(allow), lookup, connecting),
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
      const options = requestOptions(wanted, agent)
      const reply = withDeadline(wanted.deadlineMs, (signal) => exchange(wanted, { ...options, signal }))
      underWay.add(reply)
      return reply.finally(() => underWay.delete(reply))
    },
    async close() {
      const closed = agent.close()
      await Promise.allSettled(underWay)
      // What still tries to connect belongs to requests that have been given up.
      for (const socket of connecting) socket.destroy(new OutboundFailure('connect', 'Closed'))
      await closed
    },
  }
}

type RequestOptions = { dispatcher: Dispatcher } & Omit<Dispatcher.RequestOptions, 'origin' | 'path'>

function requestOptions({ url, method, headers = {}, body }: OutboundRequest, dispatcher: Dispatcher): RequestOptions {
  refuseBadUrl(url)
  for (const name of Object.keys(headers)) {
    if (OUR_HEADERS.has(name.toLowerCase())) throw new OutboundFailure('refused', `The header ${name.toLowerCase()} cannot be set`)
  }
  return { dispatcher, method, headers: { ...headers, 'accept-encoding': 'identity' }, body: body ?? null }
}

function refuseBadUrl(text: string): void {
  const url = URL.parse(text)
  if (!url) throw new OutboundFailure('refused', 'The url is malformed')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundFailure('refused', 'The url must begin with http:// or https://')
  if (url.username || url.password) throw new OutboundFailure('refused', 'The url must not contain a user name or password')
}

async function exchange({ url, maxBytes }: OutboundRequest, options: RequestOptions): Promise<OutboundReply> {
  const { statusCode, headers, body } = await request(new URL(url), options)
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop early destroys the stream and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new OutboundFailure('too_large', `The answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return { status: statusCode, headers: singleValues(headers), body: Buffer.concat(chunks) }
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

/** The signal alone would not do: undici heeds it only once the connection stands. */
async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new OutboundFailure('timeout', `No complete answer within ${ms} ms`))
    controller.abort()
  }, ms)
  try {
    return await Promise.race([tooLate, work(controller.signal)])
  } catch (error) {
    throw asFailure(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Messages carry the kind of error but never an address: they are shown to customers, who must not map our network with them. */
function asFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  if (error instanceof errors.InvalidArgumentError) return new OutboundFailure('refused', `The request is not valid: ${error.message}`)
  if (error instanceof errors.HeadersOverflowError) return new OutboundFailure('too_large', 'The answer has too many headers')
  return new OutboundFailure('broken', `The connection broke before the answer was complete (${errorCode(error)})`)
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown'
}

/** Every new connection passes here, so it checks the very address that is connected to; an older look at the name proves nothing. */
function checkedConnector(rules: AddressRules, lookup: Lookup, connecting: Set<Socket>): buildConnector.connector {
  return ({ hostname, protocol, port: givenPort }, callback) => {
    const port = givenPort ? Number(givenPort) : protocol === 'https:' ? 443 : 80
    // Node asks the lookup function only for names, not for addresses.
    if (isIP(hostname) && !rules.allowsAddress(hostname, port)) {
      queueMicrotask(() => callback(forbidden(), null))
      return
    }
    const socket = startConnecting(protocol, hostname, port, checkedLookup(rules, lookup, port))
    connecting.add(socket)
    settle(socket, protocol === 'https:' ? 'secureConnect' : 'connect', (...result) => {
      connecting.delete(socket)
      callback(...result)
    })
  }
}

function startConnecting(protocol: string, host: string, port: number, lookup: LookupFunction): Socket {
  const several = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS }
  const options = { host, port, lookup, ...several, noDelay: true, keepAlive: true }
  if (protocol !== 'https:') return connectTcp(options)
  const name = isIP(host) ? {} : { servername: host.replace(/\.$/, '') }
  return connectTls({ ...options, ...name, ALPNProtocols: ['http/1.1'] })
}

/** Calls back once: with the socket when it is ready for use, or with the reason why it will never be. */
function settle(socket: Socket, ready: 'connect' | 'secureConnect', callback: buildConnector.Callback): void {
  const tooLate = new OutboundFailure('connect', `No connection within ${CONNECT_TIMEOUT_MS} ms`)
  const timer = setTimeout(() => socket.destroy(tooLate), CONNECT_TIMEOUT_MS)
  const onError = (error: Error): void => {
    clearTimeout(timer)
    callback(error instanceof OutboundFailure ? error : new OutboundFailure('connect', `No connection (${errorCode(error)})`), null)
  }
  socket.once('error', onError)
  socket.once(ready, () => {
    clearTimeout(timer)
    socket.off('error', onError)
    callback(null, socket)
  })
}

/** What it returns is what gets connected to: there is no second lookup that could answer differently. */
function checkedLookup(rules: AddressRules, lookup: Lookup, port: number): LookupFunction {
  const checked = async (hostname: string): Promise<{ address: string; family: number }[]> => {
    const addresses = await lookup(hostname)
    if (addresses.length === 0) throw new OutboundFailure('connect', 'The name has no address')
    const allowed = rules.allowsName(hostname, port) || addresses.every(({ address }) => rules.allowsAddress(address, port))
    if (!allowed) throw forbidden()
    return addresses
  }
  // Node asks for all of them because autoSelectFamily is on.
  return (hostname, _options, callback) => {
    checked(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    )
  }
}

function forbidden(): OutboundFailure {
  return new OutboundFailure('refused', 'The address is not public and not on the list of exceptions')
}

const lookUpWithSystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' })
