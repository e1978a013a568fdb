import type { TestContext } from 'node:test'
import { UserAgent } from '../user-agent/user-agent.ts'
import type { IncomingInvite, UserAgentOptions } from '../user-agent/user-agent-options.ts'
import type { Flow, Transport, TransportKind } from '../transport/transport.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

/** Small, fast and deterministic. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface NetworkConditions {
  /** Share of datagrams, from 0 to 1. */
  loss?: number
  duplication?: number
  /** Milliseconds of delay; the second number spreads it, so that messages overtake each other. */
  delay?: readonly [least: number, most: number]
}

export interface Passed {
  at: number
  from: string
  to: string
  kind: TransportKind
  /** `INVITE` or `200 INVITE`. */
  what: string
  text: string
}

type Receiver = (bytes: Uint8Array, from: Flow) => void

const startOf = (text: string): string => {
  const first = text.slice(0, text.indexOf('\r\n'))
  if (!first.startsWith('SIP/2.0 ')) return first.slice(0, first.indexOf(' '))
  return `${first.slice(8, 11)} ${/^CSeq:\s*\d+\s+(\S+)/im.exec(text)?.[1] ?? '?'}`
}

/** The first value of a header in a message as it went over the wire. */
export const headerOf = (text: string | undefined, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(text ?? '')?.[1]?.trim() ?? ''

/** Several user agents and raw peers at separate addresses, in one process and in virtual time. */
export class SipNetwork {
  readonly clock = new VirtualClock(0)
  /** Everything sent, including lost messages. */
  readonly passed: Passed[] = []
  readonly random: () => number
  conditions: NetworkConditions
  /** Returns true to drop a message. */
  drops: (message: Passed) => boolean = () => false
  /** Addresses that accept no connections. */
  readonly withoutTcp = new Set<string>()
  readonly #receivers = new Map<string, Receiver>()
  readonly #t: TestContext

  constructor(t: TestContext, conditions: NetworkConditions = {}, seed = 1) {
    this.#t = t
    this.conditions = conditions
    this.random = seeded(seed)
  }

  /** Everything sent, as `10.0.0.1>10.0.0.2 INVITE`, shortened to the last octet of the addresses. */
  get story(): string[] {
    return this.passed.map(({ from, to, what }) => `${from.split('.')[3]}>${to.split('.')[3]} ${what}`)
  }

  count(what: string, from?: string): number {
    return this.passed.filter((message) => message.what === what && (from === undefined || message.from === from)).length
  }

  transport(address: string): Transport {
    return {
      send: (bytes, to, failed) => this.#send(address, bytes, to, failed),
      localAddress: () => ({ host: address, port: 5060 }),
    }
  }

  attach(address: string, receive: Receiver): void {
    this.#receivers.set(address, receive)
  }

  detach(address: string): void {
    this.#receivers.delete(address)
  }

  #send(from: string, bytes: Uint8Array, to: Flow, failed: (error: Error) => void): void {
    const text = Buffer.from(bytes).toString('utf8')
    const passed = { at: this.clock.now(), from, to: to.address, kind: to.kind, what: startOf(text), text }
    this.passed.push(passed)
    const datagram = to.kind === 'udp'
    if (!datagram && (this.withoutTcp.has(to.address) || !this.#receivers.has(to.address))) {
      this.clock.after(1, () => failed(new Error('Connection refused')))
      return
    }
    if (this.drops(passed) || (datagram && this.random() < (this.conditions.loss ?? 0))) return
    this.#deliver(from, bytes, to)
    if (datagram && this.random() < (this.conditions.duplication ?? 0)) this.#deliver(from, bytes, to)
  }

  #deliver(from: string, bytes: Uint8Array, to: Flow): void {
    const [min, max] = this.conditions.delay ?? [1, 1]
    const spread = to.kind === 'udp' ? this.random() * (max - min) : 0
    const source: Flow = { kind: to.kind, address: from, port: 5060, ...(to.kind === 'udp' ? {} : { connection: 7 }) }
    this.clock.after(min + spread, () => this.#receivers.get(to.address)?.(Buffer.from(bytes), source))
  }

  /** A user agent at this address. `sip:x@10.0.0.9` is resolved to that address, with the transport that it names. */
  agent(address: string, options: Partial<UserAgentOptions> = {}): TestAgent {
    const invites: IncomingInvite[] = []
    const ua = new UserAgent({
      clock: this.clock,
      transport: this.transport(address),
      resolve: async (uri) => [{ kind: (uri.params['transport'] ?? 'udp') as TransportKind, address: uri.host, port: uri.port ?? 5060 }],
      onInvite: (invite) => void invites.push(invite),
      product: '',
      random: this.random,
      ...options,
    })
    this.attach(address, (bytes, from) => ua.receive(bytes, from))
    this.#t.after(() => ua.close(AbortSignal.abort()))
    return { ua, address, invites, uri: `sip:bob@${address}` }
  }

  /** A peer that sends exactly the given messages. */
  raw(address: string): RawPeer {
    const received: string[] = []
    this.attach(address, (bytes) => void received.push(Buffer.from(bytes).toString('utf8')))
    const transport = this.transport(address)
    return {
      address,
      received,
      send: (to, text, kind = 'udp') =>
        transport.send(Buffer.from(text.replace(/\r?\n/g, '\r\n')), { kind, address: to, port: 5060 }, () => {}),
      statuses: () => received.filter((text) => text.startsWith('SIP/2.0')).map((text) => Number(text.slice(8, 11))),
    }
  }
}

export interface TestAgent {
  ua: UserAgent
  address: string
  uri: string
  invites: IncomingInvite[]
}

export interface RawPeer {
  address: string
  received: string[]
  send(to: string, text: string, kind?: TransportKind): void
  statuses(): number[]
}
