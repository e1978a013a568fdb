import type { End } from '#core/kernel/ports/calls.ts'
import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { coversAssistant } from '#core/account/identity/caller/grants.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Cause, IncomingCall, PretendedNumbers } from '#core/kernel/ports/telephony.ts'
import type { WebCaller, WebFarEnd, WebLegs } from '#core/kernel/ports/browser.ts'

interface TalksDeps extends SignedLinksDeps {
  legs: WebLegs
  /** Handles the call; resolves at its end, with undefined when no call was created. */
  take: (call: IncomingCall) => Promise<End | undefined>
  maxSeconds: number
  /** Concurrent talks per user. */
  maxPerUser?: number
  /** Talks on each node, keyed by user. */
  shared?: Pick<SharedState<number>, 'set' | 'others'>
}

/** Permission for one call to a flow. */
export interface Ticket {
  talkId: string
  accountId: string
  userId: string
  flowId: string
  sound: boolean
  /** Speech takes no time. */
  fast: boolean
  /** Runs the draft of the flow. */
  draft: boolean
  pretends?: PretendedNumbers
  /** Releases the slot; must be called unless the talk begins. */
  leave: () => void
}

interface Talking {
  farEnd: WebFarEnd
  /** Resolves when the leg has ended and the call is written. */
  over: Promise<Pick<End, 'by' | 'reason'>>
}

type Person = Pick<Ticket, 'accountId' | 'userId'>
type Means = Pick<Ticket, 'sound' | 'fast' | 'draft' | 'pretends'>

const validMs = 30_000
const defaultPerUser = 5

/** Calls from browsers and programs to flows. Addresses are issued in advance, because a browser cannot send a token when it opens a WebSocket. */
export class Talks {
  readonly #deps: TalksDeps
  readonly #links: SignedLinks
  readonly #mostPerUser: number
  /** Running talks, keyed by user. */
  readonly #running = new Map<string, number>()
  #refusing = false

  constructor(deps: TalksDeps) {
    this.#deps = deps
    this.#links = new SignedLinks(deps, 'talk tickets', 'talk_ticket_invalid', validMs)
    this.#mostPerUser = deps.maxPerUser ?? defaultPerUser
  }

  /** Starts or stops rejecting new talks (drain). */
  refuse(value: boolean): void {
    this.#refusing = value
  }

  /** Issues a short-lived, single-use address for a call to the flow. */
  async invite({ accountId, userId }: Person, flowId: string, how: Means) {
    if (this.#refusing) throw new Problem('unavailable', 'This process is being drained and takes no more calls.')
    if (!(await this.#deps.store.read.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
    if (how.draft && !(await this.#deps.store.read.assistants.draft(accountId, flowId))) throw new Problem('assistant_not_set')
    this.#requireCapacity({ accountId, userId })
    const talkId = randomUUID()
    const path = `/v3/ai-flows/${flowId}/talks/${talkId}/${meansOf(how)}`
    const { url, expiresAt } = this.#links.makeFor({ accountId, userId }, path)
    return { talkId, url: url.replace(/^http/, 'ws'), expiresAt }
  }

  /** Reads and invalidates an address. Throws a Problem when it is invalid, expired or used. */
  async redeem(address: string, { flowId, talkId, means }: { flowId: string; talkId: string; means: string }): Promise<Ticket> {
    const { store, clock } = this.#deps
    const { accountId, userId } = await this.#links.identify(address, async (caller) => mayTalk(caller, flowId))
    const leave = this.#enter({ accountId, userId })
    try {
      if (!(await spend(store, clock, accountId, talkId))) throw new Problem('talk_ticket_invalid')
    } catch (error) {
      leave()
      throw error
    }
    return { talkId, accountId, userId, flowId, ...readMeans(means), leave }
  }

  /** Calls the flow. */
  begin({ talkId, accountId, userId, flowId, sound, fast, draft, pretends, leave }: Ticket, caller: WebCaller): Talking {
    const { legs, take, maxSeconds } = this.#deps
    const farEnd = legs.openWebLeg(caller, { sound, fast })
    const taken = take({
      id: talkId,
      leg: farEnd.leg,
      origin: { kind: 'web', accountId, userId, flowId, draft, ...(pretends && { pretends }) },
      dialled: flowId,
      caller: { number: undefined, name: '', withheld: false }, // the caller's identity is looked up
      diversions: [],
      hops: 0,
      replaces: undefined,
      maxSeconds,
    })
    return { farEnd, over: endOf(farEnd, taken).finally(leave) }
  }

  #requireCapacity(person: Person): void {
    const key = keyOf(person)
    const elsewhere = this.#deps.shared?.others(key).reduce((sum, count) => sum + count, 0) ?? 0
    if ((this.#running.get(key) ?? 0) + elsewhere >= this.#mostPerUser) throw new Problem('talk_limit_reached')
  }

  #enter(person: Person): () => void {
    this.#requireCapacity(person)
    const key = keyOf(person)
    this.#count(key, 1)
    return () => this.#count(key, -1)
  }

  #count(key: string, change: 1 | -1): void {
    const count = (this.#running.get(key) ?? 0) + change
    if (count === 0) this.#running.delete(key)
    else this.#running.set(key, count)
    this.#deps.shared?.set(key, count === 0 ? undefined : count)
  }
}

/** Options of a talk, as part of the address. */
const meansOf = ({ sound, fast, draft, pretends: { from, to } = {} }: Means): string => {
  const numbers = [from && `-from${from}`, to && `-to${to}`].filter(Boolean).join('').replaceAll('+', '')
  return `${draft ? 'draft-' : ''}${sound ? 'sound' : fast ? 'fast' : 'text'}${numbers}`
}

const readMeans = (means: string): Means => {
  const { draft, how, from, to } = /^(?<draft>draft-)?(?<how>\w+?)(?:-from(?<from>\d+))?(?:-to(?<to>\d+))?$/.exec(means)?.groups ?? {}
  const pretends = { ...(from !== undefined && { from: `+${from}` }), ...(to !== undefined && { to: `+${to}` }) }
  return { sound: how === 'sound', fast: how === 'fast', draft: draft !== undefined, pretends }
}

/** A call may end before its web leg when a phone connected the user with a party of another call. */
const endOf = async ({ leg }: WebFarEnd, taken: Promise<End | undefined>): Promise<Pick<End, 'by' | 'reason'>> => {
  const end = await taken
  const { cause } = await leg.ended
  return end ?? rejectionReason(cause)
}

/** No call was created: the service is draining, or the user or flow is gone. */
const rejectionReason = (cause: Cause): Pick<End, 'by' | 'reason'> => ({
  by: 'service',
  reason: cause === 'overloaded' ? 'service_shutdown' : cause === 'failed' ? 'service_failure' : 'rejected',
})

const keyOf = ({ accountId, userId }: Person): string => `${accountId}/${userId}`

/** True for exactly one of several attempts on any node; the row expires with the other idempotency keys. */
const spend = (store: Store, clock: Clock, accountId: string, talkId: string): Promise<boolean> =>
  store.write((tables) =>
    tables.idempotency.begin(accountId, ticketKey(talkId), { operation: 'startTalk', bodyHash: '', effectId: talkId, at: clock.now() }),
  )

/** Idempotency key that marks the ticket of a talk as used. */
const ticketKey = (talkId: string): string => `talk ${talkId}`

/** True for a call from the account's own browser or program, which may use any caller number. */
export const isTalk = async ({ idempotency }: Tables, accountId: string, callId: string): Promise<boolean> =>
  (await idempotency.find(accountId, ticketKey(callId))) !== undefined

const mayTalk = (caller: Omit<UserCaller, 'kind'>, flowId: string): boolean =>
  !caller.grants || (caller.grants.CAN_GET_FLOWS !== undefined && coversAssistant(caller, 'CAN_GET_FLOWS', flowId))
