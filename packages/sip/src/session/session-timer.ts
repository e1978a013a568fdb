import { formatSessionExpires, hasElement, parseSessionExpires } from '../grammar/headers.ts'
import type { SessionExpires } from '../grammar/headers.ts'
import { leniently } from '../grammar/scan.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request, Response } from '../message/message.ts'
import { nothing } from '../transaction/timers.ts'
import type { SipClock } from '../transport/transport.ts'

/** RFC 4028 §5: minimum interval in seconds. */
const minMinimum = 90
/** Maximum accepted Min-SE in seconds: a day. */
const maxMinimum = 86_400
/** Timer range in milliseconds: more than three weeks. */
const maxTimerLength = 2 ** 31 - 1

/** In seconds. */
export interface TimerPolicy {
  /** Requested interval. */
  expires: number
  /** Smallest accepted interval. */
  min: number
}

/** Agreed timer, for a process that resumes the session. In seconds. */
export interface SavedTimer {
  /** Undefined if the session does not expire. */
  interval?: number
  /** We are the refresher. */
  ours: boolean
  minSe: number
}

/** Throws SipError(400) if malformed. */
const sessionExpiresOf = (request: Request): SessionExpires | undefined => {
  const value = request.header('session-expires')
  return value === undefined ? undefined : parseSessionExpires(value)
}

/** Ignores malformed values. Checks for absence first: that is the common case and should not throw. */
const intervalIn = (message: Request | Response, name: 'session-expires' | 'min-se'): SessionExpires | undefined => {
  const value = message.header(name)
  return value === undefined ? undefined : leniently(() => parseSessionExpires(value))
}

const minSeOf = (message: Request | Response): number =>
  Math.min(Math.max(intervalIn(message, 'min-se')?.seconds ?? 0, minMinimum), maxMinimum)

const supportsTimer = (message: Request | Response): boolean =>
  hasElement(message.lines('supported'), 'timer') || hasElement(message.lines('require'), 'timer')

/** The far end requests a shorter interval than we accept: 422 (RFC 4028 §9). Only a far end with the extension understands it. */
export const isTooShort = (request: Request, policy: TimerPolicy): boolean => {
  const asked = sessionExpiresOf(request)
  return asked !== undefined && asked.seconds < policy.min && supportsTimer(request)
}

/**
 * Session-Expires of our 2xx: RFC 4028 §9, table 2. `usual` refreshes if the far end names no refresher. Undefined if it does not support
 * timers.
 */
const answerInterval = (
  request: Request,
  policy: TimerPolicy,
  usual: 'uac' | 'uas',
): { seconds: number; refresher: 'uac' | 'uas' } | undefined => {
  const asked = sessionExpiresOf(request)
  const supported = supportsTimer(request)
  if (!asked && !supported) return undefined
  const min = Math.max(minSeOf(request), policy.min)
  const seconds = Math.max(Math.min(asked?.seconds ?? policy.expires, policy.expires), min)
  return { seconds, refresher: supported ? (asked?.refresher ?? usual) : 'uas' }
}

interface TimerEvents {
  /** It is our turn to refresh. */
  refresh(): void
  /** The session was not refreshed in time. */
  expired(): void
}

/** Ends a session whose far end vanished, and refreshes it if we are the refresher: RFC 4028 §10. */
export class SessionTimer {
  readonly #clock: SipClock
  readonly #policy: TimerPolicy
  readonly #events: TimerEvents
  #stopRefresh = nothing
  #stopExpiry = nothing
  /** Agreed interval in seconds. */
  #interval: number | undefined
  /** We are the refresher. */
  #ours = false
  /** Largest requested Min-SE, in seconds. */
  #minSe: number
  #closed = false

  constructor(clock: SipClock, policy: TimerPolicy, events: TimerEvents) {
    this.#clock = clock
    this.#policy = policy
    this.#events = events
    this.#minSe = policy.min
  }

  get saved(): SavedTimer {
    return { ...(this.#interval !== undefined && { interval: this.#interval }), ours: this.#ours, minSe: this.#minSe }
  }

  /** Restores another process's timer; it restarts now, because the session is refreshed immediately. */
  resume({ interval, ours, minSe }: SavedTimer): void {
    this.#minSe = minSe
    this.#restart(interval, ours)
  }

  /** Headers of our request (RFC 4028 §7.1); the refresher stays the same. */
  wish(): HeaderLines {
    const refresher = this.#interval === undefined ? undefined : this.#ours ? 'uac' : 'uas'
    const seconds = Math.max(this.#interval ?? this.#policy.expires, this.#minSe)
    return [
      ['Session-Expires', formatSessionExpires({ seconds, refresher })],
      ['Min-SE', String(this.#minSe)],
    ]
  }

  /** 422: our interval is too short for the far end or a proxy. */
  wasTooShort(response: Response): void {
    this.#minSe = Math.max(this.#minSe, minSeOf(response))
  }

  /** The far end's 2xx decides. */
  agreed(response: Response): void {
    const interval = intervalIn(response, 'session-expires')
    this.#restart(interval?.seconds, (interval?.refresher ?? 'uac') === 'uac')
  }

  /** Headers of our 2xx to the far end's request; restarts the timer. */
  answer(request: Request): HeaderLines {
    const interval = answerInterval(request, this.#policy, this.#ours ? 'uas' : 'uac')
    this.#restart(interval?.seconds, interval?.refresher === 'uas')
    if (!interval) return []
    const headers: (readonly [string, string])[] = [['Session-Expires', formatSessionExpires(interval)]]
    if (interval.refresher === 'uac') headers.push(['Require', 'timer'])
    return headers
  }

  /** Restarts from the latest 2xx, ours or theirs. Without an interval the session does not expire. */
  #restart(seconds: number | undefined, ours: boolean): void {
    if (this.#closed) return
    this.#stop()
    this.#interval = seconds
    this.#ours = ours
    if (seconds === undefined) return
    const grace = Math.min(32, seconds / 3)
    this.#stopExpiry = this.#clock.after(Math.min((seconds - grace) * 1000, maxTimerLength), () => this.#events.expired())
    if (ours) this.#stopRefresh = this.#clock.after(Math.min(seconds * 500, maxTimerLength), () => this.#events.refresh())
  }

  /** Stops the timer permanently. */
  close(): void {
    this.#closed = true
    this.#stop()
  }

  #stop(): void {
    this.#stopRefresh()
    this.#stopExpiry()
  }
}
