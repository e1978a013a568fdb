import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { EndReason, CallChange, CallFacts, CallObserver, TrunkCallEnd } from '#core/kernel/ports/calls.ts'
import type { SoundState } from '#core/kernel/ports/audio.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { MetricSample } from '#core/kernel/ports/store/operate.ts'
import type { TurnTimes } from '#core/assistant/session/turn-times.ts'
import type { Durations } from './durations.ts'
import { Tally, type Distribution } from './families/distribution.ts'
import type { Sample } from './families/sample.ts'
import { Figures } from './figures.ts'

/** Steps for the last hour and for the last day. */
export const fineStepMs = 10_000
export const coarseStepMs = 300_000
const steps = [fineStepMs, coarseStepMs]
/** Maximum unwritten spans, an hour of fine ones: a longer database outage leaves a gap. */
const maxQueued = 372

/** End reasons that count as errors. */
const faults: readonly EndReason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

interface Stretch {
  stepMs: number
  at: number
  figures: Figures
}

/** Counts the activity of this process: a few figures per time span. Counting never blocks. */
export class Measurements implements CallObserver {
  readonly #clock: Clock
  /** Since the start of the process. */
  readonly total = new Figures()
  /** Current spans, by step length. */
  readonly #current = new Map<number, Stretch>()
  #unsaved = new Set<Stretch>()
  /** Start times of calls that neither ring nor were answered. */
  readonly #settingUp = new Map<string, number>()

  /** Since the start of the process: ended calls by reason, taken-over calls, and outcomes of delivery attempts to endpoints. */
  readonly #ends = new Tally()
  readonly #outcomes = new Tally()
  readonly #unheard = new Tally()
  readonly #claims = new Tally()
  #lost = 0
  #resumed = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** For /metrics. */
  readonly samples = (): Sample[] => [
    { name: 'offhook_calls_started_total', value: this.total.callsStarted },
    { name: 'offhook_calls_answered_total', value: this.total.callsAnswered },
    { name: 'offhook_calls_failed_total', value: this.total.callsFailed },
    { name: 'offhook_calls_running', value: this.total.callsRunning },
    { name: 'offhook_endpoint_failures_total', value: this.total.endpointFailures },
    { name: 'offhook_http_failures_total', value: this.total.httpFailures },
    { name: 'offhook_call_setup_seconds', value: inSeconds(this.total.setUp) },
    { name: 'offhook_turn_seconds', value: inSeconds(this.total.turn) },
    { name: 'offhook_endpoint_seconds', value: inSeconds(this.total.endpoint) },
    { name: 'offhook_http_seconds', value: inSeconds(this.total.http) },
    { name: 'offhook_calls_lost_total', value: this.#lost },
    { name: 'offhook_calls_resumed_total', value: this.#resumed },
    ...this.#ends.entries.map(([reason, value]): Sample => ({ name: 'offhook_calls_ended_total', labels: { reason }, value })),
    ...this.#claims.entries.map(([outcome, value]): Sample => ({ name: 'offhook_agent_claims_total', labels: { outcome }, value })),
    ...this.#unheard.entries.map(([state, value]): Sample => ({ name: 'offhook_sound_missing_total', labels: { state }, value })),
    ...this.#outcomes.entries.map(([outcome, value]): Sample => ({ name: 'offhook_endpoint_attempts_total', labels: { outcome }, value })),
  ]

  changed({ callId, end }: CallFacts, what: CallChange): void {
    if (what === 'started') this.#settingUp.set(callId, this.#clock.elapsed())
    this.#count((figures) => {
      if (what === 'started') figures.callsStarted++
      if (what === 'answered') figures.callsAnswered++
      if (what === 'ended' && end && faults.includes(end.reason)) figures.callsFailed++
    })
    if (what !== 'started') this.#setUp(callId, what)
    if (what === 'ended' && end) this.#ends.add(end.reason)
    if (what === 'taken') this.#lost++
    if (what === 'resumed') this.#resumed++
  }

  #setUp(callId: string, what: CallChange): void {
    const since = this.#settingUp.get(callId)
    this.#settingUp.delete(callId)
    if (since === undefined || what === 'ended' || what === 'taken') return
    const ms = this.#clock.elapsed() - since
    this.#count(({ setUp }) => setUp.add(ms))
  }

  /** Counts missing audio to or from a phone. */
  sound(_callId: string, state: SoundState): void {
    if (state !== 'heard') this.#unheard.add(state)
  }

  /** A note of the prompt assistant. */
  noted(name: string, data: unknown): void {
    const { verdict } = Object(data) as Partial<AgentNotes['claim']>
    if (name === 'claim' && (verdict === 'covered' || verdict === 'stopped')) this.#claims.add(verdict)
  }

  turn({ firstSoundMs }: TurnTimes): void {
    if (firstSoundMs !== undefined) this.#count(({ turn }) => turn.add(firstSoundMs))
  }

  delivered({ attempt, state, durationMs }: Delivery): void {
    if (attempt === 0) return // no endpoint was contacted
    this.#outcomes.add(state)
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

  trunkCall(call: TrunkCallEnd): void {
    this.#count(({ trunks }) => trunks.add(call))
  }

  running(calls: number): void {
    this.total.callsRunning = calls
    if (calls === 0) return
    this.#count((figures) => (figures.callsRunning = Math.max(figures.callsRunning, calls)), { passing: true })
  }

  /** Writes the figures counted since the last time; on failure they are kept for the next. */
  async keep<T>(nodeId: string, write: (samples: MetricSample[]) => Promise<T>): Promise<T> {
    const stretches = [...this.#unsaved]
    this.#unsaved.clear()
    try {
      return await write(stretches.map(({ stepMs, at, figures }) => ({ nodeId, stepMs, at, figures: figures.saved() })))
    } catch (error) {
      const waiting = [...stretches, ...this.#unsaved].toSorted((a, b) => a.at - b.at)
      this.#unsaved = new Set(waiting.slice(-maxQueued))
      throw error
    }
  }

  #count(add: (figures: Figures) => void, { passing: transient = false } = {}): void {
    const now = this.#clock.now()
    for (const stepMs of steps) {
      const stretch = this.#stretch(stepMs, now - (now % stepMs))
      this.#unsaved.add(stretch)
      add(stretch.figures)
    }
    if (!transient) add(this.total)
  }

  #stretch(stepMs: number, at: number): Stretch {
    const present = this.#current.get(stepMs)
    if (present?.at === at) return present
    const stretch = { stepMs, at, figures: new Figures() }
    this.#current.set(stepMs, stretch)
    return stretch
  }
}

const inSeconds = (durations: Durations): Distribution => ({
  count: durations.size,
  sum: durations.totalMs / 1000,
  upTo: (seconds) => durations.within(seconds * 1000),
})
