import type { OutboundFailure } from '#core/kernel/ports/outbound-http.ts'

/** How one attempt ended, as far as another one depends on it. */
export type Outcome =
  /** `refused`: why the answer counts for nothing. */
  { status: number; retryAfter?: string | undefined; refused?: string | undefined } | { failure: OutboundFailure }

/** What an attempt means for the session. */
export type Verdict =
  /** The endpoint took the event, and its reply counts. */
  | 'replied'
  /** The endpoint is there but does not want this event: nothing is to be done. */
  | 'declined'
  /** The endpoint was not reached, or it is not known whether it was, or its answer cannot be understood. */
  | 'unavailable'
  /** It will never be there again. */
  | 'gone'

/** Status codes of servers that did not let the event in: any other 4xx comes from an endpoint that has looked at it. */
const rejectedAccess = [401, 403, 404, 405, 407, 408, 429]

export const verdictOn = (outcome: Outcome): Verdict => {
  if ('failure' in outcome || outcome.refused !== undefined) return 'unavailable'
  const { status } = outcome
  if (status >= 200 && status < 300) return 'replied'
  if (status === 410) return 'gone'
  return status >= 400 && status < 500 && !rejectedAccess.includes(status) ? 'declined' : 'unavailable'
}

/**
 * Whether the endpoint itself fails. Wrong credentials are a mistake in the settings, and an endpoint whose answer cannot be understood is
 * there and may understand the next event.
 */
export const isTrouble = (outcome: Outcome): boolean => {
  if ('failure' in outcome) return ['connect', 'timeout', 'broken'].includes(outcome.failure.kind)
  return outcome.status >= 500 || outcome.status === 429
}

/** Failures that may have passed by the next attempt. */
const transient = [429, 502, 503, 504]

const isTransient = (outcome: Outcome): boolean =>
  'failure' in outcome ? ['connect', 'timeout', 'broken'].includes(outcome.failure.kind) : transient.includes(outcome.status)

const pauseMs = { min: 100, most: 250 }
/** With less time left another attempt is not worth it. */
const worthwhileMs = 250

/** Milliseconds to wait before another attempt; undefined when there is no point in one. `random` gives 0 to 1. */
export const pauseBefore = (
  outcome: Outcome,
  { leftMs, random, now }: { leftMs: number; random: () => number; now: number },
): number | undefined => {
  if (!isTransient(outcome)) return undefined
  const asked = 'failure' in outcome ? 0 : retryAfterMs(outcome.retryAfter, now)
  const pause = Math.max(asked, pauseMs.min + random() * (pauseMs.most - pauseMs.min))
  return pause + worthwhileMs <= leftMs ? pause : undefined
}

/** Seconds or a date; what is neither asks for nothing. */
const retryAfterMs = (value: string | undefined, now: number): number => {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? 0 : Math.max(at - now, 0)
}
