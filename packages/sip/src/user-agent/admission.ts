import { SipError } from '../grammar/scan.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request } from '../message/message.ts'
import type { SessionStack } from '../session/session-context.ts'
import { isTooShort } from '../session/session-timer.ts'
import type { Flow } from '../transport/transport.ts'
import { hasNoHopsLeft, rejectionOf, type Capabilities, type SipRejection } from './request-checks.ts'
import type { UserAgentOptions } from './user-agent-options.ts'
import { parseReplaces, type Replaces } from '../grammar/headers.ts'
import type { Session } from '../session/session.ts'

/** Default limit of concurrent transactions and sessions. */
const defaultLimit = 10_000
const rejection = (status: number, headers: HeaderLines = []): SipRejection => ({ status, headers })
const later = rejection(503, [['Retry-After', '10']])

/** Response status for an error. Bugs are reported. */
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

/** Decides which requests outside of dialogs to admit. Keeps no state of rejected ones, so that unknown sources cannot fill the memory. */
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

  /** Undefined admits it. */
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

  /** Rejections of valid requests that cannot be handled here or now. */
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

  /** It needs a dialog but matches none. */
  #belongsToDialog(request: Request): boolean {
    if (request.method === 'INVITE') return request.toTag !== undefined
    if (this.#options.methods?.includes(request.method)) return false
    return request.method !== 'OPTIONS' || request.toTag !== undefined
  }
}

/** The session that an INVITE replaces, or an unknown dialog. */
interface Replaced {
  session?: Session
  unknown?: Replaces
}

/** RFC 3891 §3. Throws SipError with the response status if the session exists but cannot be replaced. */
export const findReplaced = (stack: SessionStack, request: Request): Replaced => {
  const value = request.header('replaces')
  if (value === undefined) return {}
  const replaces = parseReplaces(value)
  const session = stack.find(replaces.callId, replaces.toTag, replaces.fromTag)
  if (!session) return { unknown: replaces }
  requireReplaceable(session, replaces)
  return { session }
}

const requireReplaceable = (session: Session, { earlyOnly }: Replaces): void => {
  if (session.state === 'ended') throw new SipError(603, 'That dialog is over')
  if (session.state === 'confirmed') {
    if (earlyOnly) throw new SipError(486, 'That dialog is confirmed')
    return
  }
  // An incoming ringing call cannot be replaced.
  if (session.direction === 'incoming') throw new SipError(481, 'That dialog is not one of ours to give away')
}
