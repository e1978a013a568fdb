import { NoAnswer, NobodyThere, type Answering, type Bus, type Hearing } from '#core/kernel/ports/bus.ts'

/** What several buses in one process share, so that tests run several processes' parts side by side. */
export class LocalHub {
  readonly answering = new Map<string, Set<Answering>>()
  readonly hearing = new Map<string, Set<Hearing>>()
}

/** Without a server: one process alone, or those that share a hub. Bodies are copied as if they had crossed a wire. */
export const localBus = (hub?: LocalHub): Bus => new LocalBus(hub)

class LocalBus implements Bus {
  readonly alone: boolean
  readonly connected = true
  readonly #hub: LocalHub
  readonly #left: (() => void)[] = []

  constructor(hub: LocalHub | undefined) {
    this.alone = hub === undefined
    this.#hub = hub ?? new LocalHub()
  }

  answer(subject: string, answering: Answering): () => void {
    return this.#enter(this.#hub.answering, subject, answering)
  }

  async ask(subject: string, body: unknown): Promise<unknown> {
    const [answering] = this.#hub.answering.get(subject) ?? []
    if (!answering) throw new NobodyThere(subject)
    return reply(answering, subject, body)
  }

  async askAll(subject: string, body: unknown): Promise<unknown[]> {
    const all = [...(this.#hub.answering.get(subject) ?? [])]
    const replies = await Promise.allSettled(all.map((answering) => reply(answering, subject, body)))
    return replies.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }

  tell(subject: string, body: unknown): void {
    const ears = [...this.#hub.hearing].flatMap(([pattern, hearing]) => (matches(pattern, subject) ? [...hearing] : []))
    const text = JSON.stringify(body)
    for (const hearing of ears) queueMicrotask(() => hearing(JSON.parse(text), subject))
  }

  hear(subject: string, hearing: Hearing): () => void {
    return this.#enter(this.#hub.hearing, subject, hearing)
  }

  onConnection(): () => void {
    return () => {}
  }

  async close(): Promise<void> {
    for (const leave of this.#left.splice(0)) leave()
  }

  #enter<T>(table: Map<string, Set<T>>, subject: string, one: T): () => void {
    const all = table.get(subject) ?? new Set<T>()
    table.set(subject, all.add(one))
    const leave = (): void => {
      all.delete(one)
      if (all.size === 0 && table.get(subject) === all) table.delete(subject)
    }
    this.#left.push(leave)
    return leave
  }
}

const reply = async (answering: Answering, subject: string, body: unknown): Promise<unknown> => {
  try {
    return copy(await answering(copy(body)))
  } catch (cause) {
    throw new NoAnswer(subject, { cause })
  }
}

const copy = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)))

/** `*` stands for one word. */
const matches = (pattern: string, subject: string): boolean => {
  if (pattern === subject) return true
  const [wanted, words] = [pattern.split('.'), subject.split('.')]
  return wanted.length === words.length && wanted.every((word, index) => word === '*' || word === words[index])
}
