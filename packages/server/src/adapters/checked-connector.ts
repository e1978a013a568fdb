import { lookup as systemLookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound.ts'
import { addressRules, type AddressRules } from './address-rules.ts'

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

export interface OutboundOptions {
  /** Exceptions from "public addresses only", see address-rules.ts. */
  allow: string[]
  lookup?: Lookup
  /** Addresses of this machine: not allowed, although they may be public. */
  ownAddresses?: () => readonly string[]
  /** Clock of all deadlines; default: the wall clock. */
  clock?: Pick<Clock, 'after'>
}

interface ConnectTarget {
  hostname: string
  secure: boolean
  port: number
}

type Connected = (...result: [OutboundFailure, null] | [null, Socket]) => void

export interface CheckedConnector {
  /** Calls back once: with a socket that is ready for use, or with the reason for the failure. */
  connect(target: ConnectTarget, callback: Connected): void
  /** Aborts pending connections. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 2000
/** Milliseconds for one of several addresses of a name before the next is tried. */
const NEXT_ADDRESS_AFTER_MS = 500

/** Checks every new connection with its actual address; an earlier lookup of the name proves nothing. */
export function checkedConnector({ allow, lookup = lookUpWithSystem, ownAddresses, clock = wallClock }: OutboundOptions): CheckedConnector {
  const rules = addressRules(allow, ownAddresses)
  const connecting = new Set<Socket>()
  return {
    connect(target, callback) {
      // Node calls the lookup function only for names, not for addresses.
      if (isIP(target.hostname) && !rules.allowsAddress(target.hostname, target.port)) {
        queueMicrotask(() => callback(forbidden(target), null))
        return
      }
      const socket = startConnecting(target, checkedLookup(rules, lookup, target.port))
      connecting.add(socket)
      settle(socket, clock, target.secure ? 'secureConnect' : 'connect', (...result) => {
        connecting.delete(socket)
        callback(...result)
      })
    },
    close() {
      for (const socket of connecting) socket.destroy(new OutboundFailure('connect', 'Closed'))
    },
  }
}

/** Its timers keep the process alive. */
export const wallClock: Pick<Clock, 'after'> = {
  after(ms, task) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

/** An http, https, ws or wss URL without a password. */
export function refuseBadUrl(text: string, ...schemes: string[]): URL {
  const url = URL.parse(text)
  if (!url) throw new OutboundFailure('refused', 'The url is malformed')
  if (!schemes.includes(url.protocol.slice(0, -1)))
    throw new OutboundFailure('refused', `The url must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
  if (url.username || url.password) throw new OutboundFailure('refused', 'The url must not contain a user name or password')
  return url
}

export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown'
}

function startConnecting({ hostname: host, secure, port }: ConnectTarget, lookup: LookupFunction): Socket {
  const several = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS }
  const options = { host, port, lookup, ...several, noDelay: true, keepAlive: true }
  if (!secure) return connectTcp(options)
  const name = isIP(host) ? {} : { servername: host.replace(/\.$/, '') }
  return connectTls({ ...options, ...name, ALPNProtocols: ['http/1.1'] })
}

function settle(socket: Socket, clock: Pick<Clock, 'after'>, ready: 'connect' | 'secureConnect', callback: Connected): void {
  const tooLate = new OutboundFailure('connect', `No connection within ${CONNECT_TIMEOUT_MS} ms`)
  const cancelTimer = clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(tooLate))
  const onError = (error: Error): void => {
    cancelTimer()
    callback(error instanceof OutboundFailure ? error : new OutboundFailure('connect', `No connection (${errorCode(error)})`), null)
  }
  socket.once('error', onError)
  socket.once(ready, () => {
    cancelTimer()
    socket.off('error', onError)
    callback(null, socket)
  })
}

/** Addresses to which a connection to this host may go, for clients that connect by themselves. Rejects if there is none. */
export type AllowedAddresses = (hostname: string, port: number) => Promise<readonly string[]>

export function allowedAddresses({ allow, lookup = lookUpWithSystem, ownAddresses }: Omit<OutboundOptions, 'clock'>): AllowedAddresses {
  const rules = addressRules(allow, ownAddresses)
  return async (hostname, port) => {
    if (!isIP(hostname)) return (await lookUpChecked(rules, lookup, hostname, port)).map(({ address }) => address)
    if (!rules.allowsAddress(hostname, port)) throw forbidden({ hostname, port })
    return [hostname]
  }
}

async function lookUpChecked(rules: AddressRules, lookup: Lookup, hostname: string, port: number): ReturnType<Lookup> {
  const isNamed = rules.allowsName(hostname, port)
  if (!isNamed && isLocalName(hostname)) throw forbidden({ hostname, port })
  const addresses = await lookup(hostname).catch(() => [])
  const allowed = isNamed || addresses.every(({ address }) => rules.allowsAddress(address, port))
  if (addresses.length === 0 || !allowed) throw leadsNowhere({ hostname, port })
  return addresses
}

/** Its result is used for the connection: a second lookup cannot answer differently. */
function checkedLookup(rules: AddressRules, lookup: Lookup, port: number): LookupFunction {
  // Node requests all of them because autoSelectFamily is on.
  return (hostname, _options, callback) => {
    lookUpChecked(rules, lookup, hostname, port).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    )
  }
}

/** RFC 6761: not secret, and the first thing that people try. */
const isLocalName = (hostname: string): boolean => /(?:^|\.)localhost\.?$/i.test(hostname)

interface Host {
  hostname: string
  port: number
}

const exceptionFor = ({ hostname, port }: Host): string =>
  `The operator allows it: OFFHOOK_EGRESS_ALLOW=${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`

function forbidden(host: Host): OutboundFailure {
  return new OutboundFailure('refused', `The address is not public and not on the list of exceptions. ${exceptionFor(host)}`)
}

/** The same for an unknown name and one of our own network: otherwise customers could discover internal names. */
function leadsNowhere(host: Host): OutboundFailure {
  return new OutboundFailure('connect', `The name leads to no address that is public or on the list of exceptions. ${exceptionFor(host)}`)
}

const lookUpWithSystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' })
