import type { Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { HeldTrunk, TrunkHolder } from '#core/kernel/ports/store/operate.ts'
import type { Holder, TrunkHolding } from '#core/kernel/ports/calls.ts'

interface TrunkLeasesDeps {
  store: Store
  clock: Clock
  peerNodes: Pick<PeerNodes, 'self' | 'onGone' | 'onStall'>
  onError: (error: unknown) => void
}

const leaseMs = 30_000
const pollMs = 10_000

/**
 * Trunk leases in a cluster: one node at a time registers each trunk, because many carriers accept only one contact. The
 * store decides which one. Other nodes take over when it leaves, is gone, or has not renewed its lease for 30 seconds.
 */
export class TrunkLeases implements TrunkHolding {
  readonly #deps: TrunkLeasesDeps
  readonly #leave: (() => void)[]
  readonly #gone = new Set<string>()
  #wanted: readonly string[] = []
  #holders: ReadonlyMap<string, TrunkHolder> = new Map()
  #changed: () => void = () => {}
  #looking: Promise<void> = Promise.resolve()
  /** Poll that has not begun, shared by all who ask for one. */
  #next: Promise<void> | undefined
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(deps: TrunkLeasesDeps) {
    this.#deps = deps
    const gone = ({ owner }: { owner: string }): void => {
      this.#gone.add(owner)
      void this.look()
    }
    this.#leave = [deps.peerNodes.onGone(gone), deps.peerNodes.onStall(() => void this.look())]
  }

  want(trunkIds: readonly string[]): void {
    this.#wanted = trunkIds
    void this.look()
  }

  of(trunkId: string): Holder {
    const holder = this.#holders.get(trunkId)
    if (!holder) return undefined
    const { owner, state } = holder
    return owner === this.#deps.peerNodes.self ? { us: true, owner } : { us: false, owner, state }
  }

  note(trunkId: string, state: HeldTrunk): void {
    const { store, peerNodes, onError } = this.#deps
    const noted = store.write(({ trunkHolders }) => trunkHolders.note(trunkId, peerNodes.self, state))
    this.#looking = Promise.all([this.#looking, noted.catch(onError)]).then(() => {})
  }

  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /** Polls after a change elsewhere or after the poll interval. */
  look(): Promise<void> {
    if (this.#next) return this.#next
    const polling = this.#looking.then(() => {
      this.#next = undefined
      return this.#poll()
    })
    this.#looking = this.#next = polling.catch(this.#deps.onError)
    return this.#looking
  }

  /** Resolves when no read or write is pending. */
  idle(): Promise<void> {
    return this.#looking
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    for (const leave of this.#leave) leave()
    await this.#looking
    const { store, peerNodes, onError } = this.#deps
    if (this.#holdsAny()) await store.write(({ trunkHolders }) => trunkHolders.release(peerNodes.self)).catch(onError)
  }

  async #poll(): Promise<void> {
    this.#cancelTimer()
    if (this.#closed || (this.#wanted.length === 0 && !this.#holdsAny())) return
    this.#cancelTimer = this.#deps.clock.after(pollMs, () => void this.look())
    const { store } = this.#deps
    const gone = new Set(this.#gone) // nodes lost meanwhile are for the next poll
    const before = await store.read.trunkHolders.list()
    const taken = await this.#hold(before, gone)
    this.#see(taken ? await store.read.trunkHolders.list() : before)
    for (const owner of gone) this.#gone.delete(owner)
  }

  /** Writes only if it holds a trunk or wants a free one. */
  async #hold(holders: readonly TrunkHolder[], gone: ReadonlySet<string>): Promise<boolean> {
    const { store, clock, peerNodes } = this.#deps
    const now = clock.now()
    const held = new Map(holders.map((holder) => [holder.trunkId, holder]))
    const isFree = (id: string): boolean => {
      const holder = held.get(id)
      return !holder || holder.until < now || holder.owner === peerNodes.self || gone.has(holder.owner)
    }
    const free = this.#wanted.filter(isFree)
    if (free.length === 0) return false
    const by = { owner: peerNodes.self, until: now + leaseMs, now, gone: [...gone] }
    await store.write(({ trunkHolders }) => trunkHolders.hold(free, by))
    return true
  }

  #see(holders: readonly TrunkHolder[]): void {
    const wanted = new Set(this.#wanted)
    this.#holders = new Map(holders.filter(({ trunkId }) => wanted.has(trunkId)).map((holder) => [holder.trunkId, holder]))
    if (!this.#closed) this.#changed()
  }

  #holdsAny(): boolean {
    return [...this.#holders.values()].some(({ owner }) => owner === this.#deps.peerNodes.self)
  }
}
