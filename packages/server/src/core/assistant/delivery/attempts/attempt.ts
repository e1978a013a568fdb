import type { EndpointReply, OutgoingEvent, Exchange } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Delivery, DeliveryState } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { verdictOn, type Outcome } from './retry-policy.ts'

/** How one attempt went. */
export interface Attempt {
  outcome: Outcome
  /** Without one its problems say why. */
  reply: EndpointReply
  requestBytes: number
  replyBytes: number
  exchange?: Exchange
}

/** Where an event goes. */
export interface Way {
  flowId: string
  channel: Delivery['channel']
}

/** The end of a line in the delivery log. */
type Ending = Pick<Delivery, 'attempt' | 'state' | 'status' | 'requestBytes' | 'replyBytes' | 'actions' | 'problems' | 'error'>

export interface Entry {
  readonly durationMs: number
  ended(ending: Ending, exchange?: Exchange): void
  /** It was not even tried. */
  omitted(error: string, state?: DeliveryState): void
}

/** An attempt that has begun, for the delivery log: its place there is that of its beginning. */
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

/** Callers notice when it takes longer. */
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

/** For customers: says nothing of our network. */
export const outcomeText = (outcome: Outcome): string => {
  if ('failure' in outcome) return outcome.failure.message
  if (outcome.refused !== undefined) return outcome.refused
  const redirected = outcome.status >= 300 && outcome.status < 400
  return `the endpoint answered ${outcome.status}${redirected ? '; redirects are not followed' : ''}`
}
