import type { BusState } from '@offhook/contract/operator/nodes.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

export interface BusWatchDeps {
  bus: Pick<Bus, 'alone' | 'connected'>
  store: Store
  /** Other processes may use the same store. */
  shared: boolean
  clock: Clock
  id: string
  /** How often processes say in the store that they are there. */
  everyMs: number
  onMissing: () => void
}

/** Every one of so many looks. */
const looksApart = 6
const missedLooks = 3

/** Whether this process hears the others of its installation; without a bus, whether there are any. */
export class BusWatch {
  readonly #deps: BusWatchDeps
  #looks = 0
  #missing = false

  constructor(deps: BusWatchDeps) {
    this.#deps = deps
  }

  get state(): BusState {
    const { alone, connected } = this.#deps.bus
    if (alone) return this.#missing ? 'missing' : 'none'
    return connected ? 'connected' : 'away'
  }

  async look(): Promise<void> {
    const { bus, shared, store, clock, id, everyMs: intervalMs, onMissing } = this.#deps
    if (!bus.alone || !shared || this.#looks++ % looksApart !== 0) return
    const nodes = await store.read.nodes.list(clock.now() - missedLooks * intervalMs)
    const missing = nodes.some((node) => node.id !== id)
    if (missing && !this.#missing) onMissing()
    this.#missing = missing
  }
}
