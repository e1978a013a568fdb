import type { EndpointReply, OutgoingEvent, Exchange } from '#core/kernel/ports/assistant.ts'
import { type Delivery, type DeliveryState, maxRecorded, type DeliveryAmendment } from '#core/kernel/ports/store/session.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { RisingIds } from '#core/kernel/work/rising-ids.ts'
import { WriteBehind } from '#core/kernel/work/write-behind.ts'
import { more, type Recurring } from '#core/kernel/work/recurring.ts'
import type { OutboundFailure } from '#core/kernel/ports/outbound.ts'

/** Result of one attempt. */
export interface Attempt {
  outcome: Outcome
  /** Empty on failure, with the reasons as problems. */
  reply: EndpointReply
  requestBytes: number
  replyBytes: number
  exchange?: Exchange
}

/** Destination of an event. */
export interface Way {
  flowId: string
  channel: Delivery['channel']
}

/** Fields that complete an entry of the delivery log. */
type Ending = Pick<Delivery, 'attempt' | 'state' | 'status' | 'requestBytes' | 'replyBytes' | 'actions' | 'problems' | 'error'>

export interface Entry {
  readonly durationMs: number
  ended(ending: Ending, exchange?: Exchange): void
  /** Records an event that was not attempted. */
  omitted(error: string, state?: DeliveryState): void
}

/** Starts a delivery-log entry; its position in the log is the start of the attempt. */
export const beginEntry = (log: DeliveryLog, now: () => number, { flowId, channel }: Way, event: OutgoingEvent): Entry => {
  const at = now()
  const { id: eventId, accountId, sessionId, sequence, turn, body } = event
  const begun = { id: log.newId(), at, flowId, channel, accountId, sessionId, eventId, eventType: body.type, sequence, turn }
  const nothing = { attempt: 0, requestBytes: 0, replyBytes: 0, status: undefined, actions: [], problems: [] }
  return {
    get durationMs() {
      return now() - at
    },
    ended: (ending, exchange) => log.record(event, { ...begun, durationMs: now() - at, ...ending }, exchange),
    omitted: (error, state = 'failed') => log.record(event, { ...begun, durationMs: now() - at, ...nothing, state, error }),
  }
}

/** Milliseconds above which callers notice the delay. */
const slowMs = 1_000

export const endEntry = (entry: Entry, attempt: number, state: DeliveryState, tried: Attempt): void => {
  const { outcome, reply, requestBytes, replyBytes } = tried
  const notified = verdictOn(outcome) === 'replied'
  const slow = { index: -1, message: `the answer took ${entry.durationMs} ms; callers notice more than ${slowMs} ms` }
  const ending = {
    attempt,
    state,
    requestBytes,
    replyBytes,
    status: 'status' in outcome ? outcome.status : undefined,
    actions: reply.actions.map(({ type }) => type),
    problems: notified && entry.durationMs > slowMs ? [...reply.problems, slow] : reply.problems,
    error: notified ? undefined : outcomeText(outcome),
  }
  entry.ended(ending, tried.exchange)
}

/** Text for customers, without details of our network. */
export const outcomeText = (outcome: Outcome): string => {
  if ('failure' in outcome) return outcome.failure.message
  if (outcome.refused !== undefined) return outcome.refused
  const redirected = outcome.status >= 300 && outcome.status < 400
  return `the endpoint answered ${outcome.status}${redirected ? '; redirects are not followed' : ''}`
}

/** Milliseconds to collect entries before a background write. */
const collectMs = 2_000
const maxProblems = 32
const maxMessageLength = 300

/** `event`: the delivered event. */
export type OnDelivered = (delivery: Delivery, exchange: Exchange | undefined, event: OutgoingEvent) => void

interface DeliveryLogDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
  /** For metrics, traces and the timeline, which keeps the content; the delivery log does not. */
  onDelivered?: OnDelivered | undefined
}

interface LogEntry {
  delivery: Delivery
}

interface Amendment extends DeliveryAmendment {
  eventId: string
}

/** Records every delivery attempt. Writes in the background and in batches, so that no delivery waits for the store. */
export class DeliveryLog {
  readonly #ids: RisingIds
  readonly #entries: WriteBehind<LogEntry | Amendment>
  readonly #onDelivered: DeliveryLogDeps['onDelivered']

  constructor({ store, clock, onError, onDelivered }: DeliveryLogDeps) {
    this.#onDelivered = onDelivered
    this.#ids = new RisingIds(clock)
    this.#entries = new WriteBehind({ clock, collectMs, write: (batch) => writeAll(store, batch), onError })
  }

  /** Later ids are greater. */
  newId(): string {
    return this.#ids.next()
  }

  record(event: OutgoingEvent, delivery: Delivery, exchange?: Exchange): void {
    this.#onDelivered?.(delivery, exchange, event)
    this.#entries.put({ delivery: { ...delivery, problems: bounded(delivery.problems) } })
  }

  amend(eventId: string, { actions, problems, error }: DeliveryAmendment): void {
    if (actions.length > 0 || problems.length > 0 || error !== undefined)
      this.#entries.put({ eventId, actions, problems: bounded(problems), ...(error !== undefined && { error }) })
  }

  /** Resolves when all entries so far have been written or have failed. */
  flush(): Promise<void> {
    return this.#entries.flush()
  }

  close(): Promise<void> {
    return this.#entries.close()
  }
}

/** Merges amendments in memory: most attempts are complete before they are written. */
const writeAll = (store: Store, batch: readonly (LogEntry | Amendment)[]): Promise<void> => {
  const entries = new Map<string, Delivery>()
  const latest = new Map<string, Delivery>()
  for (const one of batch)
    if ('delivery' in one) {
      const { id, eventId } = one.delivery
      entries.set(id, one.delivery)
      if (id > (latest.get(eventId)?.id ?? '')) latest.set(eventId, one.delivery)
    }
  const ofWritten: Amendment[] = []
  for (const one of batch) {
    if ('delivery' in one) continue
    const known = entries.get(latest.get(one.eventId)?.id ?? '')
    if (known) entries.set(known.id, amended(known, one))
    else ofWritten.push(one)
  }
  return store.write(async ({ deliveries }) => {
    await deliveries.insert([...entries.values()])
    for (const one of ofWritten) await deliveries.amend(one.eventId, one)
  })
}

const amended = (delivery: Delivery, { actions, problems, error }: DeliveryAmendment): Delivery => ({
  ...delivery,
  actions: [...delivery.actions, ...actions].slice(0, maxRecorded),
  problems: [...delivery.problems, ...problems].slice(0, maxRecorded),
  ...(error !== undefined && { state: 'failed', error }),
})

const bounded = (problems: Delivery['problems']): Delivery['problems'] =>
  problems.slice(0, maxProblems).map((problem) => ({ ...problem, message: problem.message.slice(0, maxMessageLength) }))

const day = 24 * 60 * 60 * 1000
/** Days for which accounts can look up deliveries to their endpoint. */
const retentionDays = 30
/** Rows per transaction: writers queue behind it. */
const batchSize = 1_000

export const deliverySweep: Recurring = {
  kind: 'delivery.sweep',
  intervalMs: day,
  run: async ({ deliveries }, now) => {
    const removed = await deliveries.removeBefore(now - retentionDays * day, batchSize)
    return removed === batchSize ? more : undefined
  },
}

/** End of one attempt, as far as a retry depends on it. */
export type Outcome =
  /** `refused`: reason why the answer is ignored. */
  { status: number; retryAfter?: string | undefined; refused?: string | undefined } | { failure: OutboundFailure }

/** Meaning of an attempt for the session. */
type Verdict =
  /** The endpoint accepted the event, and its reply counts. */
  | 'replied'
  /** The endpoint is available but rejects this event: no action follows. */
  | 'declined'
  /** The endpoint was not reached, possibly not reached, or gave an unreadable answer. */
  | 'unavailable'
  /** The endpoint is permanently gone. */
  | 'gone'

/** Status codes of servers that did not admit the event; any other 4xx comes from an endpoint that has examined it. */
const rejectedAccess = [401, 403, 404, 405, 407, 408, 429]

export const verdictOn = (outcome: Outcome): Verdict => {
  if ('failure' in outcome || outcome.refused !== undefined) return 'unavailable'
  const { status } = outcome
  if (status >= 200 && status < 300) return 'replied'
  if (status === 410) return 'gone'
  return status >= 400 && status < 500 && !rejectedAccess.includes(status) ? 'declined' : 'unavailable'
}

/**
 * Whether the endpoint itself fails. Wrong credentials are a settings mistake, and an endpoint with an unreadable answer is available and may
 * handle the next event.
 */
export const isTrouble = (outcome: Outcome): boolean => {
  if ('failure' in outcome) return ['connect', 'timeout', 'broken'].includes(outcome.failure.kind)
  return outcome.status >= 500 || outcome.status === 429
}

/** Status codes of failures that may have passed by the next attempt. */
const transient = [429, 502, 503, 504]

/** After a timeout the endpoint may still be at work: a second request would run its model twice. */
const isTransient = (outcome: Outcome): boolean =>
  'failure' in outcome ? ['connect', 'broken'].includes(outcome.failure.kind) : transient.includes(outcome.status)

const pauseMs = { min: 100, most: 250 }
/** Minimum milliseconds left for another attempt to be worthwhile. */
const worthwhileMs = 250

/** Milliseconds to wait before another attempt; undefined for no retry. `random` returns 0 to 1. */
export const pauseBefore = (
  outcome: Outcome,
  { leftMs, random, now }: { leftMs: number; random: () => number; now: number },
): number | undefined => {
  if (!isTransient(outcome)) return undefined
  const asked = 'failure' in outcome ? 0 : retryAfterMs(outcome.retryAfter, now)
  const pause = Math.max(asked, pauseMs.min + random() * (pauseMs.most - pauseMs.min))
  return pause + worthwhileMs <= leftMs ? pause : undefined
}

/** Parses seconds or a date; any other value counts as 0. */
const retryAfterMs = (value: string | undefined, now: number): number => {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? 0 : Math.max(at - now, 0)
}

const pausesMs = [250, 500, 1_000, 2_000, 4_000]
/** Milliseconds from the moment the connection broke. */
export const reconnectBudgetMs = 10_000

/** Upgrade responses that a retry would not change. */
const final = [400, 401, 403, 404, 405, 410]

/** Redirects are not followed, so they are final too. */
export const isFinal = (status: number | undefined): boolean =>
  status !== undefined && (final.includes(status) || (status >= 300 && status < 400))

/** Milliseconds until the next connection attempt after `failed` consecutive failures; undefined ends the attempts. `random` returns 0 to 1. */
export const pauseBeforeReconnect = (failed: number, { leftMs, random }: { leftMs: number; random: () => number }): number | undefined => {
  const pause = (pausesMs[failed] ?? Infinity) * (1 + random() * 0.2)
  return pause < leftMs ? pause : undefined
}
