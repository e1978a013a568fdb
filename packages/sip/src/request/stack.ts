import { bracketed } from '../grammar/host.ts'
import type { IsProxy } from '../transport/origin.ts'
import type { Transactions } from '../transaction/transactions.ts'
import type { TransactionContext } from '../transaction/timers.ts'
import type { Flow } from '../transport/transport.ts'
import type { TcpRefusals } from './tcp-refusals.ts'
import { formatUri, makeUri } from '../grammar/uri.ts'
import type { SipUri } from '../grammar/uri.ts'

/** What everything inside a user agent shares. */
export interface Stack extends TransactionContext {
  readonly transactions: Transactions
  readonly product: string
  /** From 0 to 1. */
  readonly random: () => number
  readonly resolve: (uri: SipUri) => Promise<readonly Flow[]>
  readonly isProxy: IsProxy
  readonly fault: (error: unknown) => void
  readonly withoutTcp: TcpRefusals
}

/** Methods that sessions handle. */
export const sessionMethods = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'PRACK', 'UPDATE', 'INFO', 'REFER', 'NOTIFY'] as const

export const allow = [...sessionMethods, 'OPTIONS'].join(', ')

/** Extensions of the session layer: RFC 3262, 4028, 3891, 4488. */
export const extensions = ['100rel', 'timer', 'replaces', 'norefersub'] as const

export const supported = extensions.join(', ')

/** Our side of a hop: Via. */
export const viaTowards = (stack: TransactionContext, flow: Flow, branch: string): string => {
  const { host, port } = stack.transport.localAddress(flow.kind, flow.address)
  return `SIP/2.0/${flow.kind.toUpperCase()} ${bracketed(host)}:${port};rport;branch=${branch}`
}

/** Where the far end reaches us later: Contact. */
export const contactTowards = (stack: TransactionContext, flow: Flow, user: string, secure: boolean): string => {
  const { host, port } = stack.transport.localAddress(flow.kind, flow.address)
  const params: Record<string, string> = flow.kind === 'udp' ? {} : { transport: flow.kind }
  return `<${formatUri(makeUri({ scheme: secure ? 'sips' : 'sip', user: user === '' ? undefined : user, host: bracketed(host), port, params }))}>`
}
