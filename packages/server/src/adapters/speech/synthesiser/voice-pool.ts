import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { SpokenSentence } from './voice-protocol.ts'

/** More waiting lines than this are refused: they would be heard much too late. */
const mostWaiting = 200

/** See voice-thread.ts. */
export interface PoolThread {
  readonly loaded: Promise<void>
  readonly alive: boolean
  say(sentence: SpokenSentence): Promise<Int16Array>
  close(): Promise<void>
}

interface Job {
  sentence: SpokenSentence
  due: number
  /** On the clock of `performance`, as `due` is. */
  since: number
  resolve: (samples: Int16Array) => void
  reject: (error: unknown) => void
}

/** All threads of one language. What is due first is made first, for whichever call. */
export class VoicePool {
  readonly #open: () => Promise<PoolThread>
  readonly #size: number
  readonly #onWaited: ((seconds: number) => void) | undefined
  readonly #idle: PoolThread[] = []
  readonly #threads = new Set<PoolThread>()
  readonly #loading = new Set<PoolThread>()
  readonly #opening = new Set<Promise<void>>()
  #waiting: Job[] = []
  #closed = false

  /** `open` gives a thread that begins to load its model. `onWaited`: a sentence waited for a thread for so many seconds. */
  constructor(size: number, open: () => Promise<PoolThread>, onWaited?: (seconds: number) => void) {
    this.#onWaited = onWaited
    this.#size = size
    this.#open = open
  }

  /** Sentences that wait for a thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Starts the first thread, if there is none. Rejects when that fails. */
  async warm(): Promise<void> {
    if (this.#threads.size === 0 && this.#opening.size === 0) this.#start()
    await Promise.all(this.#opening)
  }

  /** `due`: when it is needed, on the clock of `performance`. Rejects with the signal's reason as soon as it is aborted. */
  async say(sentence: SpokenSentence, due: number, signal: AbortSignal): Promise<Int16Array> {
    signal.throwIfAborted()
    if (this.#closed) throw new SpeechUnavailable('the voice was closed')
    if (this.#waiting.length >= mostWaiting) throw new SpeechUnavailable('too much is to be said at once')
    const { promise, resolve, reject } = Promise.withResolvers<Int16Array>()
    const job = { sentence, due, since: performance.now(), resolve, reject }
    const drop = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== job)
      reject(signal.reason)
    }
    signal.addEventListener('abort', drop, { once: true })
    this.#waiting.push(job)
    this.#serve()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', drop)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#refuseAll(new SpeechUnavailable('the voice was closed'))
    await Promise.all([...this.#threads, ...this.#loading].map((thread) => thread.close()))
    await Promise.allSettled(this.#opening)
  }

  #serve(): void {
    if (this.#closed) return
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop()
      if (!thread) break
      if (thread.alive) void this.#run(thread, this.#takeMostUrgent())
      else this.#threads.delete(thread)
    }
    if (this.#waiting.length > 0 && this.#threads.size + this.#opening.size < this.#size) this.#start()
  }

  #takeMostUrgent(): Job {
    const job = this.#waiting.reduce((first, other) => (other.due < first.due ? other : first))
    this.#waiting = this.#waiting.filter((other) => other !== job)
    this.#onWaited?.((performance.now() - job.since) / 1000)
    return job
  }

  async #run(thread: PoolThread, { sentence, resolve, reject }: Job): Promise<void> {
    await thread.say(sentence).then(resolve, reject)
    if (thread.alive) this.#idle.push(thread)
    else this.#threads.delete(thread)
    this.#serve()
  }

  #start(): void {
    const opening = this.#openThread().finally(() => this.#opening.delete(opening))
    this.#opening.add(opening)
    opening.then(
      () => this.#serve(),
      // The next sentence tries again; those that wait are left to the threads that there are.
      (error: unknown) => this.#threads.size === 0 && this.#refuseAll(error),
    )
  }

  async #openThread(): Promise<void> {
    const thread = await this.#open()
    if (this.#closed) return thread.close()
    this.#loading.add(thread)
    try {
      await thread.loaded
      this.#threads.add(thread)
      this.#idle.push(thread)
    } finally {
      this.#loading.delete(thread)
    }
  }

  #refuseAll(error: unknown): void {
    const refused = this.#waiting
    this.#waiting = []
    for (const { reject } of refused) reject(error)
  }
}
