import type { Clock, Bus, Hearing } from '#core/kernel/ports/platform.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'

/** Milliseconds until an unanswered statement counts as failed. */
const answerMs = 2_000

/** State of one process that faults change. `swallowed`: the bus is gone, but the process does not know. */
export interface Links {
  store: boolean
  bus: 'well' | 'cut' | 'swallowed'
  /** `main`: only the main thread stands still, and the media threads send on. */
  stalled: 'no' | 'main' | 'all'
}

/** The clock of a process that can stand still: its tasks wait until it goes on. */
export class ProcessClock implements Clock {
  readonly #clock: VirtualClock
  readonly #links: Links
  /** Difference of its wall clock. */
  readonly #skewMs: number
  readonly #held: (() => void)[] = []

  constructor(clock: VirtualClock, links: Links, skewMs: number) {
    this.#clock = clock
    this.#links = links
    this.#skewMs = skewMs
  }

  now(): number {
    return this.#clock.now() + this.#skewMs
  }

  elapsed(): number {
    return this.#clock.elapsed()
  }

  after(ms: number, task: () => void): () => void {
    let isCancelled = false
    const run = (): void => {
      if (isCancelled) return
      if (this.#links.stalled === 'no') task()
      else this.#held.push(run)
    }
    const cancel = this.#clock.after(ms, run)
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /** Runs what became due meanwhile, in order. */
  goOn(): void {
    for (const task of this.#held.splice(0)) task()
  }
}

/** Resolves after this time of the process. */
export const passed = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve))

interface Listener {
  subject: string
  hearing: Hearing
}

/** The server between processes: messages of a connection keep their order. */
export class SplitBroker {
  readonly buses: SplitBus[] = []

  /** `from` has a connection at this time. */
  publish(subject: string, body: unknown): void {
    const text = JSON.stringify(body)
    for (const bus of this.buses) bus.arrive(subject, text)
  }
}

/** Bus of one process, with delays and a connection that can break. */
export class SplitBus implements Pick<Bus, 'notify' | 'hear' | 'onConnection' | 'connected' | 'alone'> {
  readonly alone = false
  readonly #broker: SplitBroker
  readonly #clock: ProcessClock
  readonly #wire: VirtualClock
  readonly #links: Links
  readonly #roll: (sides: number) => number
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<(connected: boolean) => void>()
  #outAt = 0
  #inAt = 0

  constructor(deps: { broker: SplitBroker; clock: ProcessClock; wire: VirtualClock; links: Links; roll: (sides: number) => number }) {
    this.#broker = deps.broker
    this.#clock = deps.clock
    this.#wire = deps.wire
    this.#links = deps.links
    this.#roll = deps.roll
    deps.broker.buses.push(this)
  }

  get connected(): boolean {
    return this.#links.bus !== 'cut'
  }

  notify(subject: string, body: unknown): void {
    if (this.#links.bus !== 'well') return
    this.#outAt = Math.max(this.#outAt, this.#wire.elapsed() + 1 + this.#roll(5))
    this.#wire.after(this.#outAt - this.#wire.elapsed(), () => this.#links.bus === 'well' && this.#broker.publish(subject, body))
  }

  hear(subject: string, hearing: Hearing): () => void {
    const listener = { subject, hearing }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  onConnection(changed: (connected: boolean) => void): () => void {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  arrive(subject: string, text: string): void {
    if (this.#links.bus !== 'well') return
    this.#inAt = Math.max(this.#inAt, this.#wire.elapsed() + 1 + this.#roll(5))
    const deliver = (): void => {
      if (this.#links.bus !== 'well') return
      for (const listener of this.#listeners)
        if (listener.subject === subject) this.#clock.after(0, () => listener.hearing(JSON.parse(text), subject))
    }
    this.#wire.after(this.#inAt - this.#wire.elapsed(), deliver)
  }

  become(bus: Links['bus']): void {
    const before = this.connected
    this.#links.bus = bus
    if (before !== this.connected) for (const changed of this.#watchers) this.#clock.after(0, () => changed(this.connected))
  }
}

interface SplitStoreDeps {
  store: Store
  clock: ProcessClock
  wire: VirtualClock
  links: Links
  roll: (sides: number) => number
  /** Work on the real store, which takes no time of the virtual clock. */
  track: <T>(work: Promise<T>) => Promise<T>
  /** Called after each statement: whether the store answered. */
  answered: (yes: boolean) => void
}

/** The store as one process reaches it: a statement may be carried out although its answer is lost. */
export const splitStore = ({ store, clock, wire, links, roll, track, answered }: SplitStoreDeps): Store => {
  const reached = async <T>(work: () => Promise<T>): Promise<T> => {
    const lost = async (): Promise<never> => {
      await passed(clock, answerMs)
      answered(false)
      throw new StoreUnavailable(undefined)
    }
    await passed(wire, 1 + roll(20))
    if (!links.store) return lost()
    const result = await track(work())
    await passed(wire, 1 + roll(20))
    if (!links.store) return lost()
    await passed(clock, 0)
    answered(true)
    return result
  }
  const read = new Proxy(store.read, {
    get: (tables, name) =>
      new Proxy(tables[name as keyof typeof tables], {
        get: (table, method) => {
          const found: unknown = Reflect.get(table, method)
          return typeof found === 'function'
            ? (...args: unknown[]) => reached(async () => (await found.apply(table, args)) as unknown)
            : found
        },
      }),
  })
  return { ...store, read, write: (work, patient) => reached(() => store.write(work, patient)) }
}
