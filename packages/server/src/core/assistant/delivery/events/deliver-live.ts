import type { Clock } from '#core/kernel/ports/platform.ts'
import { EndpointUnavailable, type EndpointReply, type OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import {
  beginEntry,
  endEntry,
  outcomeText,
  type Attempt,
  type Way,
  type DeliveryLog,
  isTrouble,
  pauseBefore,
  verdictOn,
  type Outcome,
} from '../attempts/attempt.ts'
import type { CircuitBreaker, CircuitBreakers } from '../attempts/circuit-breaker.ts'
import { sleep } from '#core/kernel/work/waiting.ts'

export interface DeliveryDeps {
  clock: Clock
  breakers: CircuitBreakers
  lanes: AccountLanes
  log: DeliveryLog
  /** Returns 0 to 1. */
  random: () => number
  /** Aborted when the service stops: ends all waits. */
  closing: AbortSignal
  /** Undefined while this node certainly owns its sessions; otherwise it settles when it does. */
  silence?: (() => Promise<void> | undefined) | undefined
}

export interface Route extends Way {
  url: string
  attemptMs: number
  totalMs: number
  attempts: number
  /** Rejects only when the service itself fails. */
  attempt(event: OutgoingEvent, deadlineMs: number, attempt: number): Promise<Attempt>
  /** The endpoint reports that it is permanently gone. */
  gone(): void
}

interface LiveDelivery {
  route: Route
  event: OutgoingEvent
  breaker: CircuitBreaker
  /** Deadline of every attempt. */
  until: number
  /** True if the session no longer waits for the reply. */
  isDetached: () => boolean
}

/** Delivers an event whose reply a caller waits for, with retries within a time limit. */
export const deliverLive = async (
  deps: DeliveryDeps,
  route: Route,
  event: OutgoingEvent,
  isDetached: () => boolean = () => false,
): Promise<EndpointReply> => {
  const { clock, closing } = deps
  const breaker = deps.breakers.of(event.accountId, route.url)
  const delivery: LiveDelivery = { route, event, breaker, until: clock.elapsed() + route.totalMs, isDetached }
  for (let attempt = 1; ; attempt++) {
    const { outcome, reply } = await tryOnce(deps, delivery, attempt)
    const verdict = verdictOn(outcome)
    if (verdict === 'replied' || (verdict === 'declined' && !isAwaited(event))) return reply
    if (verdict === 'gone') route.gone()
    const pause = attempt < route.attempts ? pauseAfter(deps, delivery, outcome) : undefined
    if (pause !== undefined) await sleep(clock, pause, closing)
    if (pause !== undefined) await deps.silence?.()
    if (pause === undefined || closing.aborted || isDetached()) throw new EndpointUnavailable(outcomeText(outcome))
  }
}

/** The caller hears silence until these are answered. Endpoints may not know some of the other events. */
const isAwaited = ({ body }: OutgoingEvent): boolean => body.type === 'session_start' || body.type === 'user_speak'

const pauseAfter = ({ clock, random }: DeliveryDeps, { until, isDetached }: LiveDelivery, outcome: Outcome): number | undefined =>
  isDetached() ? undefined : pauseBefore(outcome, { leftMs: until - clock.elapsed(), now: clock.now(), random })

const tryOnce = async (deps: DeliveryDeps, delivery: LiveDelivery, attempt: number): Promise<Attempt> => {
  const { route, event, breaker, isDetached } = delivery
  const entry = beginEntry(deps.log, () => deps.clock.now(), route, event)
  try {
    const tried = await throughBreaker(breaker, () => throughLane(deps, delivery, attempt))
    const notified = verdictOn(tried.outcome) === 'replied'
    endEntry(entry, attempt, isDetached() ? 'superseded' : notified ? 'delivered' : 'failed', tried)
    return tried
  } catch (error) {
    const message = error instanceof EndpointUnavailable ? error.message : 'the event could not be prepared'
    entry.omitted(message)
    throw error instanceof EndpointUnavailable ? error : new EndpointUnavailable(message, { cause: error })
  }
}

const throughBreaker = async (breaker: CircuitBreaker, attempt: () => Promise<Attempt>): Promise<Attempt> => {
  const wait = breaker.admit()
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000)
    throw new EndpointUnavailable(`not tried, because the endpoint failed too often; it is tried again in ${seconds} s`)
  }
  let outcome: Outcome | undefined
  try {
    const tried = await attempt()
    outcome = tried.outcome
    return tried
  } finally {
    reportTo(breaker, outcome)
  }
}

/** Any response shows that the endpoint is available; an unsent request shows nothing. */
export const reportTo = (breaker: CircuitBreaker, outcome: Outcome | undefined): void => {
  if (outcome === undefined || ('failure' in outcome && ['refused', 'aborted'].includes(outcome.failure.kind))) breaker.withdrawn()
  else if (isTrouble(outcome)) breaker.failed()
  else breaker.succeeded()
}

const throughLane = async ({ lanes, clock }: DeliveryDeps, { route, event, until }: LiveDelivery, attempt: number): Promise<Attempt> => {
  const leave = await lanes.enter(event.accountId, until - clock.elapsed())
  try {
    return await route.attempt(event, Math.min(route.attemptMs, Math.max(until - clock.elapsed(), 1)), attempt)
  } finally {
    leave()
  }
}

/**
 * One event on its way to an endpoint, with the session's wait for the reply. The session may stop waiting only after the event is sent: before
 * that, the event could be lost or overtaken by the next one.
 */
export class EventDelivery {
  readonly #signal: AbortSignal
  readonly #left = Promise.withResolvers<never>()
  #onWire = false
  #detached = false
  #ended = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
    this.#left.promise.catch(() => {})
    signal.addEventListener('abort', this.#check)
  }

  /** True if the session no longer waits for the reply. */
  get detached(): boolean {
    return this.#detached
  }

  /** Starts another attempt, which must be sent before the session stops waiting, or the next event could overtake it. */
  retry(): void {
    this.#onWire = false
  }

  readonly wired = (): void => {
    this.#onWire = true
    this.#check()
  }

  /** Settles with the reply, or when the session stops waiting for it. */
  async until<T>(reply: Promise<T>): Promise<T> {
    try {
      return await Promise.race([reply, this.#left.promise])
    } finally {
      this.#ended = true
      this.#signal.removeEventListener('abort', this.#check)
    }
  }

  readonly #check = (): void => {
    if (this.#ended || !this.#onWire || !this.#signal.aborted) return
    this.#detached = true
    this.#left.reject(this.#signal.reason)
  }
}
