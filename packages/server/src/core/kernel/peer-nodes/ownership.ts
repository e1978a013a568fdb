import type { Clock, Contact } from '../ports/platform.ts'

/** `contact`: it was interrupted. `lease`: the lease could not be renewed. */
type SilenceReason = 'contact' | 'lease'

interface OwnershipDeps {
  contact: Contact
  /** The heartbeat's clock. */
  clock: Pick<Clock, 'elapsed' | 'after'>
  /** Renews the lease and drops the calls that other nodes own. Rejects while the store is unavailable. */
  prove: () => Promise<void>
  /** Renews the lease without the mark, so that peers take the calls at once should this node die. */
  unmark?: () => Promise<void>
  /** Monotonic time at which this node stops sending because its lease ends; Infinity if the store has nothing of it. */
  leaseEndsAt: () => number
  /** The media threads may send for this many milliseconds from now. */
  permit: (ms: number) => void
  onSilent?: (why: SilenceReason) => void
  /** It may send again, after this many milliseconds. */
  onAudible?: (ms: number) => void
}

/** Silence of the lease that peers await before they take calls of a node whose lease says so. */
export const doubtMs = 2_000
/** Time for which a proof lets the owner send: shorter than what peers await. */
const provenMs = doubtMs * 0.9
const proveIntervalMs = 1_000
/** A proof begins this long before the permission ends. */
const leadMs = 250
/** The same before the end of the lease, whose renewals may have failed. */
const leaseLeadMs = 3_000
/** Peers may say until then that they cannot reach the database either. */
const excuseMs = 1_500

/**
 * May this node send to phones and endpoints, or may another one own its calls by now? Two kinds of evidence, each with an end:
 * - contact: the bus delivers its heartbeats, and all peers are heard and hear it. After an interruption contact counts only after a proof.
 * - proof: it renewed its lease with the mark `doubtMs`, and then the calls were its own. Peers await that silence of the lease.
 * Besides, the lease must not be over, unless no peer can reach the database either. A node without peers may always send.
 */
export class Ownership {
  readonly #deps: OwnershipDeps
  readonly #stopListening: () => void
  #contactUntil = -Infinity
  /** Contact counts from the first heartbeat sent after this time; undefined: a proof is needed first. */
  #restartAt: number | undefined = -Infinity
  #provenUntil = -Infinity
  /** End of the permission as of the last update, without the lease. */
  #until = Infinity
  #proving: Promise<void> | undefined
  #proveAt = -Infinity
  #timer: { at: number; cancel: () => void } | undefined
  #silence: (PromiseWithResolvers<void> & { since: number }) | undefined
  #closed = false
  #lapses = 0
  /** The lease may have the mark. */
  #isMarked = false

  constructor(deps: OwnershipDeps) {
    this.#deps = deps
    this.#stopListening = deps.contact.onContact(() => this.#update())
  }

  /** Undefined while this node may send; otherwise it settles when it may. */
  get pending(): Promise<void> | undefined {
    this.#update()
    return this.#silence?.promise
  }

  /** Counts the times at which another node may have taken calls since: what was read before has to be read again. */
  get lapses(): number {
    return this.#lapses
  }

  /** Silence of the lease that peers have to await; for each renewal of the lease. */
  get doubtMs(): number {
    const now = this.#deps.clock.elapsed()
    const inContact = now < this.#contactUntil && now >= this.#provenUntil && !this.#proving
    return this.#deps.contact.alone || inContact ? 0 : doubtMs
  }

  /** Proves the ownership now: another node may have taken a call. */
  doubt(): void {
    void this.#prove()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopListening()
    this.#timer?.cancel()
    this.#silence?.resolve()
    this.#silence = undefined
    await this.#proving
  }

  #update(): void {
    if (this.#closed) return
    const { contact, clock, permit, leaseEndsAt } = this.#deps
    const now = clock.elapsed()
    if (contact.alone) {
      this.#until = Infinity
      permit(Infinity)
      return this.#sound(now)
    }
    const leaseEnd = leaseEndsAt()
    const isExcused = now < this.#contactUntil && contact.peersLackStore
    if (now >= this.#until || (now >= leaseEnd + excuseMs && !isExcused)) this.#lapse()
    this.#followContact(now)
    this.#until = Math.max(this.#contactUntil, this.#provenUntil)
    const until = now < this.#contactUntil && contact.peersLackStore ? this.#until : Math.min(this.#until, leaseEnd)
    permit(until - now)
    if (now < until) this.#sound(now)
    else this.#hush(now, now < this.#until ? 'lease' : 'contact')
    this.#watch(now, Math.min(this.#contactUntil - leadMs, leaseEnd - leaseLeadMs))
    if (!this.#isMarked || this.doubtMs > 0) return
    this.#isMarked = false
    void this.#deps.unmark?.().catch(() => (this.#isMarked = true))
  }

  /** Another node may own the calls from now on. */
  #lapse(): void {
    this.#lapses++
    this.#contactUntil = -Infinity
    this.#provenUntil = -Infinity
    this.#restartAt = undefined
  }

  #followContact(now: number): void {
    const { contact } = this.#deps
    if (now >= this.#contactUntil && this.#contactUntil > -Infinity) {
      this.#contactUntil = -Infinity
      this.#restartAt = undefined
    }
    const counts = this.#contactUntil > -Infinity || (this.#restartAt !== undefined && contact.echoSentAt >= this.#restartAt)
    if (counts && contact.heardUntil > now) this.#contactUntil = contact.heardUntil
  }

  #hush(now: number, why: SilenceReason): void {
    if (this.#silence) return
    this.#silence = { ...Promise.withResolvers<void>(), since: now }
    this.#deps.onSilent?.(why)
  }

  #sound(now: number): void {
    const silence = this.#silence
    if (!silence) return
    this.#silence = undefined
    silence.resolve()
    this.#deps.onAudible?.(now - silence.since)
  }

  /** Proves in time before the permission ends, and repeatedly without contact. */
  #watch(now: number, wantedAt: number): void {
    const at = Math.max(now + 1, wantedAt, this.#proveAt)
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    this.#timer = { at, cancel: this.#deps.clock.after(at - now, () => this.#due()) }
  }

  #due(): void {
    this.#timer = undefined
    if (this.#closed) return
    const { contact, clock, leaseEndsAt } = this.#deps
    if (contact.alone) return
    const now = clock.elapsed()
    if (Math.min(this.#contactUntil - leadMs, leaseEndsAt() - leaseLeadMs) <= now) void this.#prove()
    else this.#update()
  }

  #prove(): Promise<void> {
    return (this.#proving ??= this.#tryProof().finally(() => {
      this.#proving = undefined
      this.#update()
    }))
  }

  /** The permission counts from the beginning: peers may have read the lease as soon as it was written. */
  async #tryProof(): Promise<void> {
    const startedAt = this.#deps.clock.elapsed()
    this.#proveAt = startedAt + proveIntervalMs
    this.#isMarked = true
    try {
      await Promise.resolve().then(this.#deps.prove)
    } catch {
      return // reported by the lease; repeated later
    }
    this.#update()
    this.#provenUntil = startedAt + provenMs
    this.#until = Math.max(this.#until, this.#provenUntil)
    this.#restartAt ??= startedAt
  }
}
