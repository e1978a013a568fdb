import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { PeerNodes } from '../ports/neighbours.ts'
import { RemoteState, type Change, type StateMessage } from './others-state.ts'

export interface SharedStateDeps {
  bus: Bus
  neighbours: Pick<PeerNodes, 'self' | 'others' | 'onChange'>
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
  readonly #deps: SharedStateDeps
  readonly #own = new Map<string, T>()
  readonly #others: RemoteState<T>
  readonly #leave: (() => void)[] = []
  readonly #unsent = new Set<string>()
  #sequence = 0
  #cancelTimer: () => void = () => {}

  /** `changed`: what another process knows under this name is new. */
  constructor(deps: SharedStateDeps, changed: (key: string) => void = () => {}) {
    this.#deps = deps
    this.#others = new RemoteState({ changed, missed: (of) => this.#ask(of) })
    if (!deps.bus.alone) this.#join()
  }

  /** Undefined: nothing any more. */
  set(key: string, value: T | undefined): void {
    if (this.#deps.bus.alone) return
    if (value === undefined) this.#own.delete(key)
    else this.#own.set(key, value)
    if (this.#unsent.size === 0) void Promise.resolve().then(() => this.#notifyChanges()) // what happens together is told together
    this.#unsent.add(key)
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
    return `state.${this.#deps.kind}`
  }

  #join(): void {
    const { bus, neighbours: peerNodes } = this.#deps
    const hear = (message: unknown): void => {
      const { from } = message as StateMessage<T>
      if (from !== peerNodes.self) this.#others.hear(message as StateMessage<T>)
    }
    const keep = (): void => this.#others.keep(peerNodes.others().map(({ owner }) => owner))
    keep()
    this.#leave.push(
      bus.hear(this.#subject, hear),
      bus.hear(`${this.#subject}.${peerNodes.self}`, hear),
      bus.hear(`${this.#subject}.ask`, (question) => this.#emitFinal(question as Question)),
      bus.onConnection((connected) => {
        if (connected) this.#ask()
      }),
      peerNodes.onChange(keep),
    )
    this.#ask()
    this.#remindLater()
  }

  #notifyChanges(): void {
    const changes = [...this.#unsent].map((key): Change<T> => [key, this.#own.get(key)])
    this.#unsent.clear()
    this.#notify(this.#subject, { sequence: ++this.#sequence, changes })
  }

  #emitFinal({ to, of }: Question): void {
    const { self } = this.#deps.neighbours
    if (to === self || (of !== undefined && of !== self) || this.#sequence === 0) return
    if (this.#unsent.size > 0) this.#notifyChanges()
    this.#notify(`${this.#subject}.${to}`, { sequence: this.#sequence, changes: [...this.#own], whole: true })
  }

  #notify(subject: string, message: Omit<StateMessage<T>, 'from'>): void {
    this.#deps.bus.notify(subject, { from: this.#deps.neighbours.self, ...message } satisfies StateMessage<T>)
  }

  #ask(of?: string): void {
    const question: Question = { to: this.#deps.neighbours.self, ...(of !== undefined && { of }) }
    this.#deps.bus.notify(`${this.#subject}.ask`, question)
  }

  #remindLater(): void {
    this.#cancelTimer = this.#deps.clock.after(remindMs, () => {
      if (this.#sequence > 0) this.#notify(this.#subject, { sequence: this.#sequence, changes: [] })
      this.#remindLater()
    })
  }
}

interface Question {
  to: string
  /** None: of everybody. */
  of?: string
}
