import { NoAnswer, NoAnswerError, type Answering, type Asking, type Bus, type Hearing } from '#core/kernel/ports/platform.ts'

/** Shared by several buses in one process, so that tests run the parts of several processes in parallel. */
export class LocalHub {
  readonly answering = new Map<string, Set<Answering>>()
  readonly hearing = new Map<string, Set<Hearing>>()
}

/** Without a server: one process alone, or those that share a hub. Bodies are copied as if sent over a network. */
export const localBus = (hub?: LocalHub, onError?: (error: unknown, subject: string) => void): Bus => new LocalBus(hub, onError)

const defaultPollMs = 2_000

class LocalBus implements Bus {
  readonly alone: boolean
  readonly connected = true
  readonly #hub: LocalHub
  readonly #onError: (error: unknown, subject: string) => void
  readonly #left = new Set<() => void>()

  constructor(hub: LocalHub | undefined, onError: (error: unknown, subject: string) => void = () => {}) {
    this.alone = hub === undefined
    this.#hub = hub ?? new LocalHub()
    this.#onError = onError
  }

  answer(subject: string, answering: Answering): () => void {
    return this.#enter(this.#hub.answering, subject, answering)
  }

  async ask(subject: string, body: unknown, { ms = defaultPollMs }: Asking = {}): Promise<unknown> {
    const [answering] = this.#hub.answering.get(subject) ?? []
    if (!answering) throw new NoAnswerError(subject)
    return this.#reply(answering, subject, { body, ms })
  }

  async askAll(subject: string, body: unknown, { ms = defaultPollMs, expected }: Asking & { expected: number }): Promise<unknown[]> {
    const all = [...(this.#hub.answering.get(subject) ?? [])]
    const replies = await Promise.allSettled(all.map((answering) => this.#reply(answering, subject, { body, ms })))
    return replies.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])).slice(0, expected)
  }

  notify(subject: string, body: unknown): void {
    const vadPool = [...this.#hub.hearing].flatMap(([pattern, hearing]) => (matches(pattern, subject) ? [...hearing] : []))
    if (vadPool.length === 0) return
    const text = JSON.stringify({ body })
    for (const hearing of vadPool) queueMicrotask(() => this.#hear(hearing, subject, text))
  }

  hear(subject: string, hearing: Hearing): () => void {
    return this.#enter(this.#hub.hearing, subject, hearing)
  }

  onConnection(): () => void {
    return () => {}
  }

  async close(): Promise<void> {
    for (const leave of this.#left) leave()
  }

  #hear(hearing: Hearing, subject: string, text: string): void {
    try {
      hearing((JSON.parse(text) as { body?: unknown }).body, subject)
    } catch (error) {
      this.#onError(error, subject)
    }
  }

  /** Fails immediately on an error, and after `ms` on a hang. */
  async #reply(answering: Answering, subject: string, { body, ms }: { body: unknown; ms: number }): Promise<unknown> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('no reply in time')), ms)
    const answered = (async () => copy(await answering(copy(body))))()
    try {
      return await Promise.race([answered, late.promise])
    } catch (cause) {
      throw new NoAnswer(subject, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  #enter<T>(table: Map<string, Set<T>>, subject: string, one: T): () => void {
    const all = table.get(subject) ?? new Set<T>()
    table.set(subject, all.add(one))
    const leave = (): void => {
      this.#left.delete(leave)
      all.delete(one)
      if (all.size === 0 && table.get(subject) === all) table.delete(subject)
    }
    this.#left.add(leave)
    return leave
  }
}

const copy = (body: unknown): unknown => (JSON.parse(JSON.stringify({ body })) as { body?: unknown }).body

/** `*` matches one word. */
const matches = (pattern: string, subject: string): boolean => {
  if (pattern === subject) return true
  const [wanted, words] = [pattern.split('.'), subject.split('.')]
  return wanted.length === words.length && wanted.every((word, index) => word === '*' || word === words[index])
}
