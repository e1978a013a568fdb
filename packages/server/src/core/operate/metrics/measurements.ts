import type { EndReason } from '#core/kernel/ports/call-end.ts'
import type { CallChange, CallFacts, CallObserver } from '#core/kernel/ports/call-observer.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Delivery } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { MetricSample } from '#core/kernel/ports/store/operate/metrics.ts'
import type { TurnTimes } from '#core/assistant/session/conversation/turn-times.ts'
import { Figures } from './figures.ts'
import type { Reading } from './prometheus.ts'

/** For the last hour, and for the last day. */
export const fineStepMs = 10_000
export const coarseStepMs = 300_000
/** When the database is away for longer, there is a gap: an hour of fine ones. */
const mostWaiting = 372

/** Ends that count as errors. */
const faults: readonly EndReason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

interface Stretch {
  stepMs: number
  at: number
  figures: Figures
}

/** What this process does, counted: a few numbers for each stretch of time. Counting waits for nothing. */
export class Measurements implements CallObserver {
  readonly #clock: Clock
  /** Since the process began. */
  readonly total = new Figures()
  /** Those of now, by the length of their step. */
  readonly #current = new Map<number, Stretch>()
  #unsaved = new Set<Stretch>()
  /** When calls began that neither ring nor were answered. */
  readonly #settingUp = new Map<string, number>()

  readonly #others: (() => readonly Reading[])[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Parts with figures of their own are asked for them when they are read. */
  also(read: () => readonly Reading[]): void {
    this.#others.push(read)
  }

  get readings(): Reading[] {
    return this.#others.flatMap((read) => read())
  }

  changed({ callId, end }: CallFacts, what: CallChange): void {
    if (what === 'started') this.#settingUp.set(callId, this.#clock.elapsed())
    this.#count((figures) => {
      if (what === 'started') figures.callsStarted++
      if (what === 'answered') figures.callsAnswered++
      if (what === 'ended' && end && faults.includes(end.reason)) figures.callsFailed++
    })
    if (what !== 'started') this.#setUp(callId, what)
  }

  #setUp(callId: string, what: CallChange): void {
    const since = this.#settingUp.get(callId)
    this.#settingUp.delete(callId)
    if (since === undefined || what === 'ended' || what === 'taken') return
    const ms = this.#clock.elapsed() - since
    this.#count(({ setUp }) => setUp.add(ms))
  }

  turn({ firstSoundMs }: TurnTimes): void {
    if (firstSoundMs !== undefined) this.#count(({ turn }) => turn.add(firstSoundMs))
  }

  delivered({ attempt, state, durationMs }: Delivery): void {
    if (attempt === 0) return // no endpoint was asked
    this.#count((figures) => {
      figures.endpoint.add(durationMs)
      if (state === 'failed' || state === 'dead') figures.endpointFailures++
    })
  }

  requested(ms: number, status: number): void {
    this.#count((figures) => {
      figures.http.add(ms)
      if (status >= 500) figures.httpFailures++
    })
  }

  running(calls: number): void {
    this.total.callsRunning = calls
    if (calls === 0) return
    this.#count((figures) => (figures.callsRunning = Math.max(figures.callsRunning, calls)), { passing: true })
  }

  /** Has written what was counted since the last time; what cannot be written is kept for the next. */
  async keep<T>(nodeId: string, write: (samples: MetricSample[]) => Promise<T>): Promise<T> {
    const stretches = [...this.#unsaved]
    this.#unsaved.clear()
    try {
      return await write(stretches.map(({ stepMs, at, figures }) => ({ nodeId, stepMs, at, figures: figures.saved() })))
    } catch (error) {
      const waiting = [...stretches, ...this.#unsaved].toSorted((a, b) => a.at - b.at)
      this.#unsaved = new Set(waiting.slice(-mostWaiting))
      throw error
    }
  }

  #count(add: (figures: Figures) => void, { passing = false } = {}): void {
    const now = this.#clock.now()
    for (const stepMs of [fineStepMs, coarseStepMs]) {
      const stretch = this.#stretch(stepMs, now - (now % stepMs))
      this.#unsaved.add(stretch)
      add(stretch.figures)
    }
    if (!passing) add(this.total)
  }

  #stretch(stepMs: number, at: number): Stretch {
    const present = this.#current.get(stepMs)
    if (present?.at === at) return present
    const stretch = { stepMs, at, figures: new Figures() }
    this.#current.set(stepMs, stretch)
    return stretch
  }
}
