import type { Clock } from '#core/kernel/ports/platform.ts'
import { LoadPressure, type LoadMeasure, type LoadReadings, type Pressure } from './load-pressure.ts'
import { Valve } from './valve.ts'

/** `request`: a registration, a subscription or a text message, which phones repeat by themselves. */
export type Newcomer = 'call' | 'request'

export interface NewcomerOptions {
  /** Looked up only during an overload. */
  isEmergency?: () => boolean
  /** False for one that will come again with credentials: it uses no room yet. */
  isFinal?: boolean
}

interface AdmissionDeps {
  /** Must not jump. */
  clock: Pick<Clock, 'elapsed' | 'after'>
  readings: LoadReadings
  /** Number of running calls. */
  calls: () => number
  /** Called with the first rejection of an overload. */
  onOverload: (overload: Pressure) => void
  /** Called when everything is admitted again; counts of rejected calls and requests. */
  onRelief: (past: { seconds: number; calls: number; requests: number }) => void
  /** Spreads retries; default: `Math.random`. */
  random?: () => number
}

interface Rejections {
  what: Newcomer
  by: LoadMeasure
  count: number
}

interface Overload {
  /** The latest measure above its limit. */
  by: LoadMeasure
  since: number
  shed: Record<Newcomer, number>
  /** The last time without headroom. */
  tightAt: number
}

const intervalMs = 100
/** With fewer running calls than this a new one is never rejected: they cannot be the cause, and a busy laptop must answer its only call. */
const minCalls = 4
/** Until then an admitted call is counted among the running ones. */
const setUpMs = 2_000
/** Without calls and newcomers nothing is read. */
const idleAfterMs = 5_000
/** The main thread has not had a turn for so long: more newcomers would only wait. */
const blockedMs = 75
/** Ratios below which there is headroom, and much of it. */
const headroom = 0.7
const muchHeadroom = 0.35
/** Headroom for so long ends an overload. */
const reliefMs = 2_000
/** Seconds. Carriers avoid a destination that long. */
const retryAfter = { call: { least: 2, spread: 4 }, request: { least: 5, spread: 10 } }

/**
 * Rejects newcomers while the machine is overloaded, so that running calls and admitted ones stay undisturbed: emergency calls pass, requests
 * are cut more than calls. How many pass follows from measures alone: fewer while one of them is above its limit, more as soon as all are
 * below. Costs a timer only while calls or newcomers are there.
 */
export class Admission {
  readonly #deps: AdmissionDeps
  readonly #random: () => number
  readonly #pressure: LoadPressure
  readonly #valves = { call: new Valve({ minPerSecond: 0.1, cut: 0.7 }), request: new Valve({ minPerSecond: 5, cut: 0.5 }) }
  /** Since the start: rejected calls and requests by cause. */
  readonly #shed = new Map<string, Rejections>()
  #overload: Overload | undefined
  /** Times at which calls were admitted because few were running. */
  #few: number[] = []
  #cancel: (() => void) | undefined
  #dueAt = 0
  #readAt = 0
  #askedAt = -Infinity
  #closed = false

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
    this.#random = deps.random ?? Math.random
    this.#pressure = new LoadPressure(deps.readings)
  }

  get overloaded(): boolean {
    return this.#overload !== undefined
  }

  get ratios(): Record<LoadMeasure, number> {
    return this.#pressure.ratios
  }

  get shed(): readonly Rejections[] {
    return [...this.#shed.values()]
  }

  /** Seconds after which a rejected newcomer may try again; undefined admits it. Not for what belongs to running calls. */
  rejects(what: Newcomer, { isEmergency, isFinal = true }: NewcomerOptions = {}): number | undefined {
    const now = this.#deps.clock.elapsed()
    this.#askedAt = now
    if (!this.#cancel) this.#start(now)
    const blocked = now - this.#dueAt >= blockedMs
    const wasOverloaded = this.overloaded
    if (blocked && !wasOverloaded) this.#begin({ by: 'loop', ratio: 1 }, now)
    if (this.#overload && (isEmergency?.() || (what === 'call' && this.#isOneOfFew(now)))) {
      this.#valves.call.spend(now)
      return undefined
    }
    // A single pause rejects nobody: only what comes in another one, or more than before.
    if (blocked && wasOverloaded && this.#pressure.isBusy) return this.#reject(what)
    return this.#valves[what].admits(now, isFinal) ? undefined : this.#reject(what)
  }

  /** Together with those admitted for the same reason whose set-up may not be over. */
  #isOneOfFew(now: number): boolean {
    this.#few = this.#few.filter((at) => now - at < setUpMs)
    const isFew = this.#deps.calls() + this.#few.length < minCalls
    if (isFew) this.#few.push(now)
    return isFew
  }

  #reject(what: Newcomer): number {
    this.#count(what)
    const { least, spread } = retryAfter[what]
    return least + Math.floor(this.#random() * spread)
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
    this.#cancel = undefined
  }

  #start(now: number): void {
    if (this.#closed) return
    this.#pressure.clear()
    this.#readAt = now
    this.#schedule(now)
  }

  #schedule(now: number): void {
    this.#dueAt = now + intervalMs
    this.#cancel = this.#deps.clock.after(intervalMs, () => this.#read())
  }

  #read(): void {
    const now = this.#deps.clock.elapsed()
    this.#pressure.read(Math.max(0, now - this.#dueAt), now)
    this.#adjust(now)
    this.#readAt = now
    if (this.#overload || this.#deps.calls() > 0 || now - this.#askedAt < idleAfterMs) this.#schedule(now)
    else this.#cancel = undefined
  }

  #adjust(now: number): void {
    const worst = this.#pressure.worst
    if (!this.#overload) return worst.ratio >= 1 ? this.#begin(worst, now) : undefined
    const valves = Object.values(this.#valves)
    if (worst.ratio >= headroom) this.#overload.tightAt = now
    if (worst.ratio >= 1) {
      this.#overload.by = worst.by
      for (const valve of valves) valve.reduce(now, worst.ratio)
    } else if (worst.ratio < headroom) for (const valve of valves) valve.increase(now - this.#readAt, worst.ratio < muchHeadroom)
    if (now - this.#overload.tightAt >= reliefMs && valves.every((valve) => valve.isSatisfied(now))) this.#end(this.#overload, now)
  }

  #begin({ by }: Pressure, now: number): void {
    this.#overload = { by, since: now, shed: { call: 0, request: 0 }, tightAt: now }
    for (const valve of Object.values(this.#valves)) valve.close(now)
  }

  #end({ since, shed }: Overload, now: number): void {
    this.#overload = undefined
    for (const valve of Object.values(this.#valves)) valve.open()
    if (shed.call + shed.request > 0)
      this.#deps.onRelief({ seconds: Math.round((now - since) / 1000), calls: shed.call, requests: shed.request })
  }

  #count(what: Newcomer): void {
    const overload = this.#overload
    if (!overload) return
    const { by, shed } = overload
    if (shed.call + shed.request === 0) this.#deps.onOverload({ by, ratio: this.#pressure.ratios[by] })
    shed[what]++
    const key = `${what} ${by}`
    const known = this.#shed.get(key) ?? { what, by, count: 0 }
    known.count++
    this.#shed.set(key, known)
  }
}
