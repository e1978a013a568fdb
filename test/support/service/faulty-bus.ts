import { localBus, type LocalHub } from '#adapters/bus/local-bus.ts'
import { NoAnswer, type Answering, type Asking, type Bus, type Hearing } from '#core/kernel/ports/platform.ts'

type State = 'well' | 'cut' | 'still'

/** Bus whose process can lose its connection or freeze. */
export class FaultyBus implements Bus {
  readonly alone = false
  readonly #bus: Bus
  readonly #listeners = new Set<(connected: boolean) => void>()
  /** Requests and messages sent. */
  sent = 0
  #state: State = 'well'

  constructor(hub: LocalHub) {
    this.#bus = localBus(hub)
  }

  get connected(): boolean {
    return this.#state !== 'cut'
  }

  /** `cut`: knows that it is disconnected. `still`: neither answers nor receives, and does not know. */
  become(state: State): void {
    const before = this.connected
    this.#state = state
    if (before !== this.connected) for (const changed of this.#listeners) changed(this.connected)
  }

  answer(subject: string, answering: Answering): () => void {
    return this.#bus.answer(subject, (body) => {
      if (this.#state !== 'well') throw new Error('the reply is never sent')
      return answering(body)
    })
  }

  async ask(subject: string, body: unknown, asking?: Asking): Promise<unknown> {
    if (!this.connected) throw new NoAnswer(subject)
    this.sent += 1
    return this.#bus.ask(subject, body, asking)
  }

  async askAll(subject: string, body: unknown, asking: Parameters<Bus['askAll']>[2]): Promise<unknown[]> {
    if (!this.connected) return []
    this.sent += 1
    return this.#bus.askAll(subject, body, asking)
  }

  notify(subject: string, body: unknown): void {
    if (this.#state !== 'well') return
    this.sent += 1
    this.#bus.notify(subject, body)
  }

  hear(subject: string, hearing: Hearing): () => void {
    return this.#bus.hear(subject, (...heard) => {
      if (this.#state === 'well') hearing(...heard)
    })
  }

  onConnection(changed: (connected: boolean) => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  close(): Promise<void> {
    return this.#bus.close()
  }
}
