import type { Clock, MovableClock } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { atMost } from '#core/kernel/work/waiting.ts'

interface SandboxDeps {
  store: Store
  clock: MovableClock
  wallClock: Clock
  /** Worker of scheduled jobs. */
  waiting: Waiting
  /** Clock of calls: catches up when there are no calls. */
  callClock: { catchUp(): void }
  /** This process has calls; calls of others are known by their leases. */
  talks: () => boolean
  /** Owner of this process's leases. */
  owner: string
  onError: (error: unknown) => void
}

interface Waiting {
  wake(): void
  idle(): Promise<void>
  nextWaiting(): Promise<number | undefined>
}

/** Offset of the sandbox time in milliseconds, shared by all processes. */
const setting = 'sandbox.ahead'
/** Offset after all concurrent requests are complete. */
const goalSetting = 'sandbox.goal'
const followIntervalMs = 1_000
/** Maximum wait of a request while due work runs at its time; the rest is one leap. */
const maxRequestMs = 20_000
/** Maximum wait for a task; a longer one continues in the background. */
const maxTaskMs = 3_000

export const sandboxAhead = async ({ settings }: Tables): Promise<number> => Number((await settings.get(setting)) ?? 0)

/** Time put forward by the operator: stored, and followed by every process. */
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

  /** Starts following the time set by others. */
  start(): void {
    this.#followLater()
  }

  /**
   * Advances from one due job to the next, as time would have passed. Resolves when all are done except long ones. `note` is written in
   * the same transaction, so that concurrent requests add up and none is lost.
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

  /** Resolves when it is not applying time set by another process. */
  idle(): Promise<void> {
    return this.#following
  }

  close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    return this.#following
  }

  /** Undefined if no job is due before the goal, or if the due ones take too long to wait for their follow-ups. */
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
    await store.write((tables) => change(tables, setting, (known) => Math.max(known, aheadMs))) // others may already be further ahead
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

  /** Not while calls run anywhere: if the time of this process leapt twice during one, the call's process would appear silent and gone. */
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

/** Retries on concurrent changes. Returns the new value. */
const change = async (tables: Pick<Tables, 'settings'>, name: string, next: (known: number) => number): Promise<number> => {
  const { settings } = tables
  const from = await settings.get(name)
  const to = next(Number(from ?? 0))
  const written = from === undefined ? await settings.setOnce(name, String(to)) : await settings.replace(name, { from, to: String(to) })
  return written ? to : change(tables, name, next)
}
