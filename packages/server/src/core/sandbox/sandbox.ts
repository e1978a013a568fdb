import type { Clock, MovableClock } from '../ports/clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { atMost } from '../session/at-most.ts'

export interface SandboxParts {
  store: Store
  clock: MovableClock
  wallClock: Clock
  /** What waits for its time. */
  waiting: Waiting
  /** The time of calls catches up if nobody talks; asked again and again. */
  catchUp: () => void
  onError: (error: unknown) => void
}

export interface Waiting {
  wake(): void
  idle(): Promise<void>
  nextWaiting(): Promise<number | undefined>
}

/** How far the time of the sandbox is ahead, in milliseconds. All processes go by it. */
const setting = 'sandbox.ahead'
const followEveryMs = 1_000
/** Whoever asked waits so long while everything is done at its time; then the rest of the way is one leap. */
const patienceMs = 20_000
/** Something that takes longer goes on meanwhile. */
const longestTaskMs = 3_000

export const sandboxAhead = async ({ settings }: Tables): Promise<number> => Number((await settings.get(setting)) ?? 0)

/** Time that the operator puts forward: kept in the store, followed by every process. */
export class Sandbox {
  readonly #parts: SandboxParts
  #cancelTimer: () => void = () => {}
  #following: Promise<void> = Promise.resolve()
  #closed = false

  constructor(parts: SandboxParts) {
    this.#parts = parts
  }

  now(): { now: number; aheadMs: number } {
    const { clock } = this.#parts
    return { now: clock.now(), aheadMs: clock.aheadMs }
  }

  /** From now on it goes where others put it. */
  start(): void {
    this.#followLater()
  }

  /**
   * From one thing that is due to the next, as time would have gone by. Resolves when all of it is done but what takes long. `note` is
   * written with the first step.
   */
  async putForward(ms: number, note: (tables: Tables) => Promise<void>): Promise<void> {
    const { clock, wallClock } = this.#parts
    const target = clock.now() + ms
    const giveUpAt = wallClock.now() + patienceMs
    await this.#move(0, note)
    for (let due = await this.#nextDue(target), last = 0; due !== undefined && due > last; due = await this.#nextDue(target)) {
      if (wallClock.now() >= giveUpAt) break
      last = due
      await this.#move(due - clock.now())
    }
    await this.#move(target - clock.now())
    await this.#settled()
  }

  /** Nobody is being followed at this moment. */
  idle(): Promise<void> {
    return this.#following
  }

  close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    return this.#following
  }

  /** Undefined when there is nothing before the target, or when what is due takes too long to wait for what it brings. */
  async #nextDue(target: number): Promise<number | undefined> {
    if (!(await this.#settled())) return undefined
    const next = await this.#parts.waiting.nextWaiting()
    return next !== undefined && next < target ? next : undefined
  }

  #settled(): Promise<boolean> {
    const { waiting, wallClock } = this.#parts
    const idle = waiting.idle().then(() => true)
    return atMost(wallClock, longestTaskMs, idle, false)
  }

  async #move(ms: number, note?: (tables: Tables) => Promise<void>): Promise<void> {
    const { store, waiting } = this.#parts
    await store.write(async (tables) => {
      await note?.(tables)
      await addTo(tables, Math.max(0, Math.ceil(ms)))
    })
    await this.#follow()
    waiting.wake()
  }

  async #follow(): Promise<void> {
    const { clock, store, waiting, catchUp } = this.#parts
    const before = clock.aheadMs
    clock.putForward(await sandboxAhead(store.read))
    catchUp()
    if (clock.aheadMs > before) waiting.wake()
  }

  #followLater(): void {
    if (this.#closed) return
    const { wallClock, onError } = this.#parts
    this.#cancelTimer = wallClock.after(followEveryMs, () => {
      this.#following = this.#follow()
        .catch(onError)
        .then(() => this.#followLater())
    })
  }
}

/** Others may put it forward at the same moment. */
const addTo = async (tables: Tables, ms: number): Promise<void> => {
  const from = await tables.settings.get(setting)
  const to = String(Number(from ?? 0) + ms)
  const written = from === undefined ? await tables.settings.setOnce(setting, to) : await tables.settings.replace(setting, { from, to })
  if (!written) await addTo(tables, ms)
}
