import { lookup as systemLookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound-http.ts'
import { addressRules, type AddressRules } from './address-rules.ts'

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

export interface OutboundOptions {
  /** Exceptions from "public addresses only", see address-rules.ts. */
  allow: string[]
  lookup?: Lookup
  /** Of this machine: not called, although they may be public. */
  ownAddresses?: () => readonly string[]
  /** By which all deadlines go; without one by the clock on the wall. */
  clock?: Pick<Clock, 'after'>
}

export interface ConnectTarget {
  hostname: string
  secure: boolean
  port: number
}

type Connected = (...result: [OutboundFailure, null] | [null, Socket]) => void

export interface CheckedConnector {
  /** Calls back once: with a socket that is ready for use, or with the reason why there will be none. */
  connect(target: ConnectTarget, callback: Connected): void
  /** Gives up what still tries to connect. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 2000
/** When a name has several addresses: how long one of them may take before the next is tried. */
const NEXT_ADDRESS_AFTER_MS = 500

/** Every new connection passes here, so it checks the very address that is connected to; an older look at the name proves nothing. */
export function checkedConnector({ allow, lookup = lookUpWithSystem, ownAddresses, clock = wallClock }: OutboundOptions): CheckedConnector {
  const rules = addressRules(allow, ownAddresses)
  const connecting = new Set<Socket>()
  return {
    connect(target, callback) {
      // Node asks the lookup function only for names, not for addresses.
      if (isIP(target.hostname) && !rules.allowsAddress(target.hostname, target.port)) {
        queueMicrotask(() => callback(forbidden(), null))
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

/** An http, https, ws or wss address without a password in it. */
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

/** Where a connection to this host may go, for those who connect by themselves: to these very addresses. Rejects when it may go nowhere. */
export type AllowedAddresses = (hostname: string, port: number) => Promise<readonly string[]>

export function allowedAddresses({ allow, lookup = lookUpWithSystem, ownAddresses }: Omit<OutboundOptions, 'clock'>): AllowedAddresses {
  const rules = addressRules(allow, ownAddresses)
  return async (hostname, port) => {
    if (!isIP(hostname)) return (await lookUpChecked(rules, lookup, hostname, port)).map(({ address }) => address)
    if (!rules.allowsAddress(hostname, port)) throw forbidden()
    return [hostname]
  }
}

async function lookUpChecked(rules: AddressRules, lookup: Lookup, hostname: string, port: number): ReturnType<Lookup> {
  const isNamed = rules.allowsName(hostname, port)
  if (!isNamed && isLocalName(hostname)) throw forbidden()
  const addresses = await lookup(hostname).catch(() => [])
  const allowed = isNamed || addresses.every(({ address }) => rules.allowsAddress(address, port))
  if (addresses.length === 0 || !allowed) throw leadsNowhere()
  return addresses
}

/** What it returns is what gets connected to: there is no second lookup that could answer differently. */
function checkedLookup(rules: AddressRules, lookup: Lookup, port: number): LookupFunction {
  // Node asks for all of them because autoSelectFamily is on.
  return (hostname, _options, callback) => {
    lookUpChecked(rules, lookup, hostname, port).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    )
  }
}

/** RFC 6761: no secret, and what people try first. */
const isLocalName = (hostname: string): boolean => /(?:^|\.)localhost\.?$/i.test(hostname)

function forbidden(): OutboundFailure {
  return new OutboundFailure('refused', 'The address is not public and not on the list of exceptions')
}

/** The same for a name that nobody knows and one of our own network: otherwise customers could find out the names in there. */
function leadsNowhere(): OutboundFailure {
  return new OutboundFailure('connect', 'The name leads to no address that is public or on the list of exceptions')
}

const lookUpWithSystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' })
