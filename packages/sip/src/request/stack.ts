import { bracketed, formatUri, makeUri, type SipUri } from '../grammar/uri.ts'
import type { IsProxy } from '../transport/origin.ts'
import type { Transactions } from '../transaction/transactions.ts'
import type { TransactionContext } from '../transaction/timers.ts'
import type { Flow, SipClock } from '../transport/transport.ts'

/** Shared by everything inside a user agent. */
export interface Stack extends TransactionContext {
  readonly transactions: Transactions
  readonly product: string
  /** 0 to 1. */
  readonly random: () => number
  readonly resolve: (uri: SipUri) => Promise<readonly Flow[]>
  readonly isProxy: IsProxy
  readonly fault: (error: unknown) => void
  readonly withoutTcp: TcpRefusals
}

/** Methods handled by sessions. */
export const sessionMethods = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'PRACK', 'UPDATE', 'INFO', 'REFER', 'NOTIFY'] as const

export const allow = [...sessionMethods, 'OPTIONS'].join(', ')

/** Extensions of the session layer: RFC 3262, 4028, 3891, 4488. */
export const extensions = ['100rel', 'timer', 'replaces', 'norefersub'] as const

export const supported = extensions.join(', ')

/** Our Via for a hop. */
export const viaTowards = (stack: TransactionContext, flow: Flow, branch: string): string => {
  const { host, port } = stack.transport.localAddress(flow.kind, flow.address)
  return `SIP/2.0/${flow.kind.toUpperCase()} ${bracketed(host)}:${port};rport;branch=${branch}`
}

/** Our Contact for the far end. */
export const contactTowards = (stack: TransactionContext, flow: Flow, user: string, secure: boolean): string => {
  const { host, port } = stack.transport.localAddress(flow.kind, flow.address)
  const params: Record<string, string> = flow.kind === 'udp' ? {} : { transport: flow.kind }
  return `<${formatUri(makeUri({ scheme: secure ? 'sips' : 'sip', user: user === '' ? undefined : user, host: bracketed(host), port, params }))}>`
}

/** Milliseconds for which a TCP refusal is cached. */
const believedFor = 600_000
const maxPeers = 1_000

/** Peers that refused TCP: large requests to them use UDP nevertheless. */
export class TcpRefusals {
  readonly #clock: SipClock
  /** Expiry by address and port. */
  readonly #until = new Map<string, number>()

  constructor(clock: SipClock) {
    this.#clock = clock
  }

  has({ address, port }: Flow): boolean {
    const until = this.#until.get(`${address}:${port}`)
    return until !== undefined && until > this.#clock.now()
  }

  add({ address, port }: Flow): void {
    if (this.#until.size >= maxPeers) this.#until.clear()
    this.#until.set(`${address}:${port}`, this.#clock.now() + believedFor)
  }
}
