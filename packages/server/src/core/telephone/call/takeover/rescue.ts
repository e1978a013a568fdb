import type { CallHold, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work/leases.ts'
import type { ResumeOptions, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { lastSign, type Leases } from '#core/kernel/work/leases.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import { sleep } from '#core/kernel/work/sleep.ts'
import { snapshotVersion } from '../records/course.ts'
import { endClaimedCall, type RecoverDeps } from './end-lost-call.ts'

/** Calls that are claimed at once: their phones get an INVITE each, and others want some of them, too. */
const maxConcurrent = 50
/** Until what is left is claimed: by then everybody who takes part has had a share, and the INVITEs before are answered. */
const roundMs = 1_000
/** A phone that agreed to go on here does not wait longer for the other one. */
const maxApartMs = 500

/** `dialogs`: of the phones that have to be told that it is over. */
export type Resumption = { goesOn: true } | { goesOn: false; why: string; dialogs: readonly SavedDialog[] }

export interface RescueDeps extends RecoverDeps {
  leases: Leases
  /** `aliveAt`: when its process was so for the last time. */
  resume: (saved: SavedCall, aliveAt: number, options?: ResumeOptions) => Promise<Resumption>
  /** How many processes take part, this one included; 0 when this one takes no calls. */
  living: () => number
  onRescue?: (rescued: { from: string; calls: number; resumed: number; ms: number }) => void
  closing: AbortSignal
}

/** Of whom the calls are, and when that process was alive for sure. */
interface Lost {
  owner: string
  aliveAt: number
  /** Part of the transaction that claims: false when the process is there after all. */
  guard: (tables: Tables) => Promise<boolean>
}

/** The calls of a process that is gone: this process goes on with its share of them, and ends what cannot go on. */
export class CallTakeover {
  readonly #deps: RescueDeps
  readonly #under = new Set<Promise<void>>()

  constructor(deps: RescueDeps) {
    this.#deps = deps
  }

  /** It was heard to be gone, a moment ago, when it had this many calls. */
  ofSilent(owner: string, { aliveAt, calls }: { aliveAt: number; calls: number }): Promise<void> {
    const living = Math.max(this.#deps.living(), 1)
    return this.#run({ owner, aliveAt, guard: () => Promise.resolve(true) }, Math.ceil(calls / living))
  }

  /** It did not renew its lease for so long that it is gone, also where processes cannot hear each other. */
  ofLease(lease: Lease): Promise<void> {
    return this.#run({ owner: lease.owner, aliveAt: lastSign(lease), guard: ({ leases }) => leases.lock(lease) }, maxConcurrent)
  }

  /**
   * A call whose process agrees that it goes on here. `release`: that process lets go of it; resolves when it sends nothing any more. False
   * when it is not held like this any more, or cannot go on: then it is ended.
   */
  async ofHolder(hold: CallHold, release: () => Promise<void>): Promise<boolean> {
    const { leases, living } = this.#deps
    if (living() === 0) return false
    const name = `taking ${hold.callId}`
    const saved = await leases.hold(name, async (tables) => {
      const passed = await tables.runningCalls.pass(hold, leases.owner)
      if (passed) await claimRest(tables, [hold.callId], leases.owner)
      return passed
    })
    const going = saved ? this.#resumeFrom(saved, release) : Promise.resolve(false)
    this.#track(going.then(() => leases.release(name)))
    return going
  }

  /** Nothing is being taken over at this moment. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under)
  }

  /** Its share first, then what nobody took. */
  async #run(lost: Lost, share: number): Promise<void> {
    const { clock, living, closing } = this.#deps
    for (let limit = share; living() > 0 && !closing.aborted; limit = maxConcurrent) {
      const claimed = await this.#claim(lost, Math.min(Math.max(limit, 1), maxConcurrent))
      if (claimed === 0) return
      await sleep(clock, roundMs, closing)
    }
  }

  async #claim(lost: Lost, limit: number): Promise<number> {
    const { leases, onFailure } = this.#deps
    const { owner } = leases
    const claim = async (tables: Tables): Promise<SavedCall[]> => {
      if (!(await lost.guard(tables))) return []
      const calls = await tables.runningCalls.claim(lost.owner, owner, { most: limit, version: snapshotVersion })
      const ids = calls.map(({ callId }) => callId)
      if (ids.length === 0) return []
      await claimRest(tables, ids, owner)
      return calls
    }
    // While it is decided what becomes of them, they are ours: if this process dies, too, the next one finds them.
    const name = `rescue ${lost.owner}`
    const calls = await leases.hold(name, claim).catch((error: unknown) => {
      onFailure(error, name)
      return []
    })
    const work = this.#resume(lost, calls).finally(() => leases.release(name))
    this.#track(work)
    return calls.length
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#deps.onFailure(error, 'rescue')).finally(() => this.#under.delete(tracked))
    this.#under.add(tracked)
  }

  async #resume({ owner, aliveAt }: Lost, calls: readonly SavedCall[]): Promise<void> {
    const { clock, onRescue } = this.#deps
    const startedAt = clock.elapsed()
    const outcomes = await Promise.all(calls.map((saved) => this.#resumeOrEnd(saved, aliveAt)))
    const resumed = outcomes.filter(Boolean).length
    if (calls.length > 0) onRescue?.({ from: owner, calls: calls.length, resumed, ms: clock.elapsed() - startedAt })
  }

  /** Its process lets go of it when all its phones agreed, or when nothing came of it: until then they hear each other there. */
  async #resumeFrom(saved: SavedCall, release: () => Promise<void>): Promise<boolean> {
    const { clock, onFailure } = this.#deps
    const all = Promise.withResolvers<void>()
    let missing = saved.snapshot.dialogs.length
    let released: Promise<void> | undefined
    // Should it not hear of it, it learns from the store.
    const detach = (): Promise<void> => (released ??= release().catch((error: unknown) => onFailure(error, saved.callId)))
    const agreed = async (): Promise<void> => {
      if (--missing === 0) all.resolve()
      await atMost(clock, maxApartMs, all.promise, undefined)
      await detach()
    }
    const goesOn = await this.#resumeOrEnd(saved, clock.now(), { agreed })
    await detach()
    return goesOn
  }

  async #resumeOrEnd(saved: SavedCall, aliveAt: number, options?: ResumeOptions): Promise<boolean> {
    const { resume, onFailure } = this.#deps
    const outcome = await resume(saved, aliveAt, options).catch((error: unknown): Resumption => {
      onFailure(error, saved.callId)
      return { goesOn: false, why: 'a fault of ours', dialogs: saved.snapshot.dialogs }
    })
    if (!outcome.goesOn) await endClaimedCall(this.#deps, saved, { aliveAt, dialogs: outcome.dialogs })
    return outcome.goesOn
  }
}

/** What else belongs to calls that were claimed. */
const claimRest = async ({ sessions, timelines }: Tables, callIds: readonly string[], owner: string): Promise<void> => {
  await sessions.claim(callIds, owner)
  await timelines.claim(callIds, owner)
}
