import type { Clock, MovableClock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { atMost } from '#core/kernel/work/at-most.ts'

export interface SandboxDeps {
  store: Store
  clock: MovableClock
  wallClock: Clock
  /** Scheduled work that waits for its time. */
  waiting: Waiting
  /** The clock of calls: it follows when there are no calls. */
  callClock: { catchUp(): void }
  /** This process has calls; those of others are known by their leases. */
  talks: () => boolean
  /** The name of this process there. */
  owner: string
  onError: (error: unknown) => void
}

export interface Waiting {
  wake(): void
  idle(): Promise<void>
  nextWaiting(): Promise<number | undefined>
}

/** How far the time of the sandbox is ahead, in milliseconds. All processes go by it. */
const setting = 'sandbox.ahead'
/** How far it will be when all that put it forward at this moment have done so. */
const goalSetting = 'sandbox.goal'
const followIntervalMs = 1_000
/** How long a request waits while everything is done at its time; then the rest of the time is one leap. */
const maxRequestMs = 20_000
/** Something that takes longer goes on meanwhile. */
const maxTaskMs = 3_000

export const sandboxAhead = async ({ settings }: Tables): Promise<number> => Number((await settings.get(setting)) ?? 0)

/** Time that the operator puts forward: kept in the store, followed by every process. */
export class Sandbox {
  readonly #deps: SandboxDeps
  #cancelTimer: () => void = () => {}
  #following: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: SandboxDeps) {
    this.#deps = deps
  }

  now(): { now: number; aheadMs: number } {
    const { clock } = this.#deps
    return { now: clock.now(), aheadMs: clock.aheadMs }
  }

  /** From now on it goes where others put it. */
  start(): void {
    this.#followLater()
  }

  /**
   * From one thing that is due to the next, as time would have gone by. Resolves when all of it is done but what takes long. `note` is
   * written with the order, so that nothing is forgotten of several at once: they add up.
   */
  async putForward(ms: number, note: (tables: Tables) => Promise<void>): Promise<void> {
    const { store, wallClock } = this.#deps
    const goal = await store.write(async (tables) => {
      await note(tables)
      return change(tables, goalSetting, (known) => known + ms)
    })
    const giveUpAt = wallClock.now() + maxRequestMs
    for (let due = await this.#nextDue(goal), last = 0; due !== undefined && due > last; due = await this.#nextDue(goal)) {
      if (wallClock.now() >= giveUpAt) break
      last = due
      await this.#move(Math.ceil(due - wallClock.now()))
    }
    await this.#move(goal)
    await this.#settled()
  }

  /** Time that another process put forward is not being followed at this moment. */
  idle(): Promise<void> {
    return this.#following
  }

  close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    return this.#following
  }

  /** Undefined when there is nothing before the goal, or when what is due takes too long to wait for what it brings. */
  async #nextDue(goal: number): Promise<number | undefined> {
    const { waiting, wallClock } = this.#deps
    if (!(await this.#settled())) return undefined
    const next = await waiting.nextWaiting()
    return next !== undefined && next < wallClock.now() + goal ? next : undefined
  }

  #settled(): Promise<boolean> {
    const { waiting, wallClock } = this.#deps
    const idle = waiting.idle().then(() => true)
    return atMost(wallClock, maxTaskMs, idle, false)
  }

  async #move(aheadMs: number): Promise<void> {
    const { store, waiting } = this.#deps
    await store.write((tables) => change(tables, setting, (known) => Math.max(known, aheadMs))) // others may be further already
    await this.#follow()
    waiting.wake()
  }

  async #follow(): Promise<void> {
    const { clock, store, waiting } = this.#deps
    const before = clock.aheadMs
    clock.putForward(await sandboxAhead(store.read))
    await this.#catchUp()
    if (clock.aheadMs > before) waiting.wake()
  }

  /** Not while calls run anywhere: if the time of this process leapt twice meanwhile, their process would seem to be silent, and gone. */
  async #catchUp(): Promise<void> {
    const { store, callClock, talks, owner } = this.#deps
    const others = await store.read.leases.listOthers(owner)
    if (others.length === 0 && !talks()) callClock.catchUp()
  }

  #followLater(): void {
    if (this.#closed) return
    const { wallClock, onError } = this.#deps
    this.#cancelTimer = wallClock.after(followIntervalMs, () => {
      this.#following = this.#follow()
        .catch(onError)
        .then(() => this.#followLater())
    })
  }
}

/** Others may change it at the same moment. Gives what it is now. */
const change = async (tables: Pick<Tables, 'settings'>, name: string, next: (known: number) => number): Promise<number> => {
  const { settings } = tables
  const from = await settings.get(name)
  const to = next(Number(from ?? 0))
  const written = from === undefined ? await settings.setOnce(name, String(to)) : await settings.replace(name, { from, to: String(to) })
  return written ? to : change(tables, name, next)
}
