import type { BusState } from '@offhook/contract/operator/nodes.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

interface BusWatchDeps {
  bus: Pick<Bus, 'alone' | 'connected' | 'onConnection'>
  store: Store
  /** Other processes may use the same store. */
  shared: boolean
  clock: Clock
  id: string
  /** Interval at which processes store their heartbeats. */
  intervalMs: number
  onMissing: () => void
}

/** Checks only every nth time. */
const looksApart = 6
const missedLooks = 3

/** Tracks whether this process hears the others of its installation; without a bus, whether there are any. */
export class BusWatch {
  readonly #deps: BusWatchDeps
  #looks = 0
  #missing = false
  #reached: boolean

  constructor(deps: BusWatchDeps) {
    this.#deps = deps
    const { bus } = deps
    this.#reached = bus.alone || bus.connected
    if (!this.#reached) bus.onConnection((connected) => (this.#reached ||= connected))
  }

  /** False until the first connection: the address, the login or the certificate may be wrong. */
  get reached(): boolean {
    return this.#reached
  }

  get state(): BusState {
    const { alone, connected } = this.#deps.bus
    if (alone) return this.#missing ? 'missing' : 'none'
    return connected ? 'connected' : 'away'
  }

  async look(): Promise<void> {
    const { bus, shared, store, clock, id, intervalMs, onMissing } = this.#deps
    if (!bus.alone || !shared || this.#looks++ % looksApart !== 0) return
    const nodes = await store.read.nodes.list(clock.now() - missedLooks * intervalMs)
    const missing = nodes.some((node) => node.id !== id)
    if (missing && !this.#missing) onMissing()
    this.#missing = missing
  }
}
