import type { End } from '#core/kernel/ports/calls.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'
import type { ResumeOptions, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { lastSign, type Leases } from '#core/kernel/work/leases.ts'
import type { Ownership } from '#core/kernel/peer-nodes/ownership.ts'
import { atMost, sleep } from '#core/kernel/work/waiting.ts'
import { snapshotVersion } from '../records/snapshot.ts'
import { endClaimedCall, type RecoverDeps } from './end-lost-call.ts'

/** Calls claimed per round: each of their phones gets an INVITE, and other nodes claim a share, too. */
const maxConcurrent = 50
/** Milliseconds between rounds: by then every node has claimed its share, and earlier INVITEs are answered. */
const roundMs = 1_000
/** Maximum wait for the silence of a lease, in milliseconds: later its end decides. Its owner proves itself for longer (`missingMs`). */
const maxSilentMs = 5_000
/** Maximum wait of a resumed phone for the other one, in milliseconds. */
const maxApartMs = 500

/** `end`: default a service failure. `dialogs`: phones that still need a BYE. */
export type Resumption = { goesOn: true } | { goesOn: false; why: string; end?: End; dialogs: readonly SavedDialog[] }

interface RescueDeps extends RecoverDeps {
  leases: Leases
  /** `aliveAt`: last time its node was alive. */
  resume: (saved: SavedCall, aliveAt: number, options?: ResumeOptions) => Promise<Resumption>
  /** Number of nodes taking part, including this one; 0 when this one takes no calls. */
  living: () => number
  /** Whether this node still owns what it has claimed. Default: no other node takes its calls. */
  ownership?: Pick<Ownership, 'pending' | 'lapses'> | undefined
  /** True if the node is heard again. */
  isHeard?: (owner: string) => boolean
  /** Called after calls of another node were claimed: it has to drop them at once. */
  onClaimed?: (owner: string, calls: readonly Pick<CallHold, 'callId' | 'epoch'>[]) => void
  onRescue?: (rescued: { from: string; calls: number; resumed: number; ms: number }) => void
  closing: AbortSignal
}

/** A lost node and the last time it was certainly alive. */
interface Lost {
  owner: string
  aliveAt: number
  /** Part of the claiming transaction: false when the node is alive after all. */
  guard: (tables: Tables) => Promise<boolean>
}

/** Takes over this node's share of the calls of a dead node, and ends the calls that cannot be resumed. */
export class CallTakeover {
  readonly #deps: RescueDeps
  readonly #under = new Set<Promise<void>>()

  constructor(deps: RescueDeps) {
    this.#deps = deps
  }

  /**
   * For a node reported gone just now; `share`: number of its calls that this node claims first. It keeps them if it renews its lease or is heard
   * meanwhile.
   */
  async ofSilent(owner: string, { aliveAt, share }: { aliveAt: number; share: number }): Promise<void> {
    const { clock, closing, ownership, isHeard = () => false } = this.#deps
    const until = clock.elapsed() + maxSilentMs
    const lapses = ownership?.lapses
    const isRefuted = (): boolean => isHeard(owner) || ownership?.pending !== undefined || ownership?.lapses !== lapses
    let awaited: Lease | undefined
    while (clock.elapsed() < until && !closing.aborted && !isRefuted()) {
      const watch = new SilentLease(owner, awaited, isRefuted)
      await this.#run({ owner, aliveAt, guard: watch.guard }, share)
      awaited = watch.awaited
      if (!awaited) return
      await sleep(clock, awaited.doubtMs ?? 0, closing)
    }
  }

  /** For a node whose lease has expired; also works when nodes cannot reach each other. */
  ofLease(lease: Lease): Promise<void> {
    return this.#run({ owner: lease.owner, aliveAt: lastSign(lease), guard: ({ leases }) => leases.lock(lease) }, maxConcurrent)
  }

  /**
   * Takes a call whose node agrees to hand it over. `release`: makes that node drop it; resolves when it sends no more packets. False when the
   * hold is outdated, or the call cannot be resumed and is ended.
   */
  async ofHolder(hold: CallHold, release: () => Promise<void>): Promise<boolean> {
    const { leases, living } = this.#deps
    if (living() === 0) return false
    const name = `taking ${hold.callId}`
    const pass = async (tables: Tables): Promise<SavedCall[]> => {
      const passed = await tables.runningCalls.pass(hold, leases.owner)
      if (passed) await claimRest(tables, [hold.callId], leases.owner)
      return passed ? [passed] : []
    }
    const [saved] = await this.#fresh(() => leases.hold(name, pass))
    const going = saved ? this.#resumeFrom(saved, release) : Promise.resolve(false)
    this.#track(going.then(() => leases.release(name)))
    return going
  }

  /** Resolves when no takeover is in progress. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under)
  }

  /** Claims its own share first, then the calls left over. */
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
    // They belong to this node while they are processed: if it dies, too, the next node finds them.
    const name = `rescue ${lost.owner}`
    const calls = await this.#fresh(() => leases.hold(name, claim)).catch((error: unknown) => {
      onFailure(error, name)
      return []
    })
    if (calls.length > 0) this.#deps.onClaimed?.(lost.owner, calls)
    const work = this.#resume(lost, calls).finally(() => leases.release(name))
    this.#track(work)
    return calls.length
  }

  /** Leaves out calls that another node has claimed while this one stood still. */
  async #fresh(claim: () => Promise<SavedCall[]>): Promise<SavedCall[]> {
    const { ownership, store, leases } = this.#deps
    let lapses = ownership?.lapses
    let calls = await claim()
    while (calls.length > 0) {
      await ownership?.pending
      if (ownership?.lapses === lapses) break
      lapses = ownership?.lapses
      const held = new Map((await store.read.runningCalls.holdsOf(leases.owner)).map(({ callId, epoch }) => [callId, epoch]))
      calls = calls.filter(({ callId, epoch }) => held.get(callId) === epoch)
    }
    return calls
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

  /** The previous node releases the call when all phones have agreed, or when the takeover failed: until then they stay connected there. */
  async #resumeFrom(saved: SavedCall, release: () => Promise<void>): Promise<boolean> {
    const { clock, onFailure } = this.#deps
    const all = Promise.withResolvers<void>()
    let missing = saved.snapshot.dialogs.length
    let released: Promise<void> | undefined
    // If the message is lost, the node finds out from the store.
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
    if (!outcome.goesOn) await endClaimedCall(this.#deps, saved, { aliveAt, ...outcome })
    return outcome.goesOn
  }
}

/**
 * The lease of a silent node, read by each claim. If it says that the node is in doubt, the node may still send: the claim has to wait for a
 * silence of the lease.
 */
class SilentLease {
  /** A claim failed because of this lease. */
  awaited: Lease | undefined
  readonly #owner: string
  readonly #before: Lease | undefined
  /** The owner is heard again, or the fault may be ours. */
  readonly #isRefuted: () => boolean

  constructor(owner: string, before: Lease | undefined, isRefuted: () => boolean) {
    this.#owner = owner
    this.#before = before
    this.#isRefuted = isRefuted
  }

  readonly guard = async ({ leases }: Tables): Promise<boolean> => {
    const lease = await leases.find(this.#owner)
    if (!lease || !(await leases.lock(lease)) || this.#isRefuted()) return false
    const isMarked = (lease.doubtMs ?? 0) > 0
    if (this.#before ? lease.until === this.#before.until : !isMarked) return true
    // A renewal without the mark: the owner lives, in contact with nodes that we do not hear.
    if (isMarked) this.awaited = lease
    return false
  }
}

/** Claims sessions and timelines of claimed calls. */
const claimRest = async ({ sessions, timelines }: Tables, callIds: readonly string[], owner: string): Promise<void> => {
  await sessions.claim(callIds, owner)
  await timelines.claim(callIds, owner)
}
