import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Neighbours } from '../ports/neighbours.ts'
import { OthersState, type Change, type StateMessage } from './others-state.ts'

export interface SharedStateParts {
  bus: Bus
  neighbours: Pick<Neighbours, 'self' | 'others' | 'onChange'>
  clock: Clock
  /** What it is about; processes agree on it. */
  kind: string
}

/** How often it is said how much was told, so that who missed something asks for it. */
const remindMs = 5_000

/**
 * What each process knows of itself and all want to know, by name: who is busy, how many calls a trunk has. Changes are told at once, the whole to
 * who asks for it. It may be a moment old, and what a process knew goes with it. Alone, a process tells nobody and hears of nobody.
 */
export class SharedState<T> {
  readonly #parts: SharedStateParts
  readonly #own = new Map<string, T>()
  readonly #others: OthersState<T>
  readonly #leave: (() => void)[] = []
  readonly #untold = new Set<string>()
  #sequence = 0
  #cancelTimer: () => void = () => {}

  /** `changed`: what another process knows under this name is new. */
  constructor(parts: SharedStateParts, changed: (key: string) => void = () => {}) {
    this.#parts = parts
    this.#others = new OthersState({ changed, missed: (of) => this.#ask(of) })
    if (!parts.bus.alone) this.#join()
  }

  /** Undefined: nothing any more. */
  set(key: string, value: T | undefined): void {
    if (this.#parts.bus.alone) return
    if (value === undefined) this.#own.delete(key)
    else this.#own.set(key, value)
    if (this.#untold.size === 0) void Promise.resolve().then(() => this.#tellChanges()) // what happens together is told together
    this.#untold.add(key)
  }

  /** What the other processes know under this name. */
  others(key: string): T[] {
    return this.#others.of(key)
  }

  close(): void {
    this.#cancelTimer()
    for (const leave of this.#leave) leave()
  }

  get #subject(): string {
    return `state.${this.#parts.kind}`
  }

  #join(): void {
    const { bus, neighbours } = this.#parts
    const hear = (message: unknown): void => {
      const { from } = message as StateMessage<T>
      if (from !== neighbours.self) this.#others.hear(message as StateMessage<T>)
    }
    const keep = (): void => this.#others.keep(neighbours.others().map(({ owner }) => owner))
    keep()
    this.#leave.push(
      bus.hear(this.#subject, hear),
      bus.hear(`${this.#subject}.${neighbours.self}`, hear),
      bus.hear(`${this.#subject}.ask`, (question) => this.#tellWhole(question as Question)),
      bus.onConnection((connected) => {
        if (connected) this.#ask()
      }),
      neighbours.onChange(keep),
    )
    this.#ask()
    this.#remindLater()
  }

  #tellChanges(): void {
    const changes = [...this.#untold].map((key): Change<T> => [key, this.#own.get(key)])
    this.#untold.clear()
    this.#tell(this.#subject, { sequence: ++this.#sequence, changes })
  }

  #tellWhole({ to, of }: Question): void {
    const { self } = this.#parts.neighbours
    if (to === self || (of !== undefined && of !== self) || this.#sequence === 0) return
    if (this.#untold.size > 0) this.#tellChanges()
    this.#tell(`${this.#subject}.${to}`, { sequence: this.#sequence, changes: [...this.#own], whole: true })
  }

  #tell(subject: string, message: Omit<StateMessage<T>, 'from'>): void {
    this.#parts.bus.tell(subject, { from: this.#parts.neighbours.self, ...message } satisfies StateMessage<T>)
  }

  #ask(of?: string): void {
    const question: Question = { to: this.#parts.neighbours.self, ...(of !== undefined && { of }) }
    this.#parts.bus.tell(`${this.#subject}.ask`, question)
  }

  #remindLater(): void {
    this.#cancelTimer = this.#parts.clock.after(remindMs, () => {
      if (this.#sequence > 0) this.#tell(this.#subject, { sequence: this.#sequence, changes: [] })
      this.#remindLater()
    })
  }
}

interface Question {
  to: string
  /** None: of everybody. */
  of?: string
}
