import type { SimProcess } from './sim-process.ts'

/** Processes that own a call, and those of them that send audio and events into it: they are permitted to. */
export class Senders {
  readonly #now: () => number
  readonly #owners = new Map<string, Set<SimProcess>>()
  /** Calls with two senders, and since when. */
  readonly #doubleSince = new Map<string, number>()
  /** Longest time in which two processes sent into one call, in milliseconds. */
  maxDoubleMs = 0
  doubles = 0
  /** Times of takeover by call. */
  readonly takenAt = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  began(callId: string, by: SimProcess, isTakeover: boolean): void {
    const all = this.#owners.get(callId) ?? new Set()
    this.#owners.set(callId, all.add(by))
    if (isTakeover) this.takenAt.set(callId, this.#now())
    this.#check(callId, all)
  }

  ended(callId: string, by: SimProcess): void {
    const all = this.#owners.get(callId)
    if (!all?.delete(by)) return
    this.#check(callId, all)
    if (all.size === 0) this.#owners.delete(callId)
  }

  /** The process was killed, or began or stopped to send. */
  changed(process: SimProcess): void {
    for (const callId of process.callIds) {
      const all = this.#owners.get(callId)
      if (!all) continue
      if (process.host.dead) all.delete(process)
      this.#check(callId, all)
    }
  }

  /** True if a process sends into the call. */
  isAlive(callId: string): boolean {
    return [...(this.#owners.get(callId) ?? [])].some(({ sends }) => sends)
  }

  /** Counts those that have not ended. */
  finish(): void {
    for (const [callId, since] of this.#doubleSince) this.#count(callId, since)
  }

  #check(callId: string, all: ReadonlySet<SimProcess>): void {
    const since = this.#doubleSince.get(callId)
    const isDouble = all.size > 1 && [...all].filter(({ sends }) => sends).length > 1
    if (isDouble && since === undefined) this.#doubleSince.set(callId, this.#now())
    if (!isDouble && since !== undefined) this.#count(callId, since)
  }

  #count(callId: string, since: number): void {
    this.#doubleSince.delete(callId)
    this.maxDoubleMs = Math.max(this.maxDoubleMs, this.#now() - since)
    this.doubles++
  }
}
