import { SipError } from '../grammar/sip-error.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request } from '../message/message.ts'
import type { SessionStack } from '../session/session-stack.ts'
import { isTooShort } from '../session/session-timer.ts'
import type { Flow } from '../transport/transport.ts'
import { hasNoHopsLeft, rejectionOf } from './request-checks.ts'
import type { Capabilities, SipRejection } from './request-checks.ts'
import type { UserAgentOptions } from './user-agent-options.ts'

/** Transactions and sessions at a time, unless the options say otherwise. */
const defaultLimit = 10_000
const rejection = (status: number, headers: HeaderLines = []): SipRejection => ({ status, headers })
const later = rejection(503, [['Retry-After', '10']])

/** The status that a request gets whose treatment threw this. Faults of ours are reported. */
export const statusOf = (error: unknown, fault: (error: unknown) => void): number => {
  if (error instanceof SipError) return error.status
  fault(error)
  return 500
}

interface Occupancy {
  /** Not closing. */
  isOpen(): boolean
  sessions(): number
}

/** Which requests outside of dialogs are let in. Nothing is kept of those that are not, so that strangers cannot fill the memory. */
export class Admission {
  readonly #stack: SessionStack
  readonly #capabilities: Capabilities
  readonly #options: UserAgentOptions
  readonly #occupancy: Occupancy

  constructor(stack: SessionStack, capabilities: Capabilities, options: UserAgentOptions, occupancy: Occupancy) {
    this.#stack = stack
    this.#capabilities = capabilities
    this.#options = options
    this.#occupancy = occupancy
  }

  /** Undefined lets it in. */
  rejectionOf(request: Request, from: Flow): SipRejection | undefined {
    try {
      if (request.method === 'CANCEL') return this.#stack.transactions.hasInvite(request) ? undefined : rejection(481)
      if (this.#isFull(request)) return later
      return rejectionOf(request, this.#capabilities) ?? this.#misplaced(request) ?? this.#options.admit?.(request, from)
    } catch (error) {
      return rejection(statusOf(error, this.#stack.fault))
    }
  }

  #isFull({ method }: Request): boolean {
    const { transactions = defaultLimit, sessions = defaultLimit } = this.#options.limits ?? {}
    return this.#stack.transactions.unknownSources >= transactions || (method === 'INVITE' && this.#occupancy.sessions() >= sessions)
  }

  /** It may be right, but not here or not now. */
  #misplaced(request: Request): SipRejection | undefined {
    if (this.#stack.transactions.isMerged(request)) return rejection(482)
    if (this.#belongsToDialog(request)) return rejection(481)
    if (this.#options.isLoop?.(request)) return rejection(482)
    if (!this.#occupancy.isOpen()) return later
    if (request.method !== 'INVITE') return undefined
    if (hasNoHopsLeft(request)) return rejection(483)
    const { timer } = this.#stack
    return isTooShort(request, timer) ? rejection(422, [['Min-SE', String(timer.min)]]) : undefined
  }

  /** There is no dialog for it, but it needs one. */
  #belongsToDialog(request: Request): boolean {
    if (request.method === 'INVITE') return request.toTag !== undefined
    if (this.#options.methods?.includes(request.method)) return false
    return request.method !== 'OPTIONS' || request.toTag !== undefined
  }
}
