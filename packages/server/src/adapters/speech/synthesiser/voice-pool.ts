import { setImmediate as turn } from 'node:timers/promises'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { maxUrgent, Pace, chunkFrames, type Urgency } from './piece-order.ts'
import type { SoundDue } from './sound-due.ts'
import type { PieceOrder, SpokenSentence, VoicePiece } from './voice-protocol.ts'

/** More waiting sentences than this are refused: they would be heard much too late. */
const maxQueued = 200

/** See voice-thread.ts. */
export interface PoolThread {
  readonly loaded: Promise<void>
  readonly alive: boolean
  make(order: PieceOrder): Promise<VoicePiece>
  drop(id: number): void
  close(): Promise<void>
}

interface Sentence {
  readonly id: number
  readonly spoken: SpokenSentence
  readonly due: SoundDue
  /** That has begun it: only that one can go on. */
  thread: PoolThread | undefined
  pieces: number
}

interface Job extends Urgency {
  sentence: Sentence
  /** On the clock of `performance`, as `due` is. */
  since: number
  resolve: (piece: VoicePiece) => void
  reject: (error: unknown) => void
}

/** All threads of one language. They make sentences piece by piece, and what is needed first, for whichever call. */
export class VoicePool {
  readonly #open: () => Promise<PoolThread>
  readonly #size: number
  readonly #onWaited: ((seconds: number) => void) | undefined
  readonly #idle = new Set<PoolThread>()
  readonly #threads = new Set<PoolThread>()
  readonly #loading = new Set<PoolThread>()
  readonly #opening = new Set<Promise<void>>()
  readonly #pace = new Pace()
  #waiting: Job[] = []
  #sentences = 0
  #closed = false

  /** `open` gives a thread that begins to load its model. `onWaited`: a sentence waited for a thread for so many seconds. */
  constructor(size: number, open: () => Promise<PoolThread>, onWaited?: (seconds: number) => void) {
    this.#onWaited = onWaited
    this.#size = size
    this.#open = open
  }

  /** Sentences that wait for a thread to begin them. */
  get waiting(): number {
    return this.#waiting.filter(({ started }) => !started).length
  }

  /** Starts the first thread, if there is none. Rejects when that fails. */
  async warm(): Promise<void> {
    if (this.#threads.size === 0 && this.#opening.size === 0) this.#start()
    await Promise.all(this.#opening)
  }

  /** Sound as soon as there is some; the next piece is made when it is asked for. Rejects with the signal's reason as soon as it is aborted. */
  async *say(spoken: SpokenSentence, due: SoundDue, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const sentence: Sentence = { id: ++this.#sentences, spoken, due, thread: undefined, pieces: 0 }
    let last = false
    try {
      while (!last) {
        const piece = await this.#nextPiece(sentence, signal)
        last = piece.last
        due.gave(piece.samples.length)
        if (piece.samples.length > 0) yield piece.samples
      }
    } finally {
      if (!last) sentence.thread?.drop(sentence.id)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#refuse(this.#waiting, new SpeechUnavailable('the voice was closed'))
    await Promise.all([...this.#threads, ...this.#loading].map((thread) => thread.close()))
    await Promise.allSettled(this.#opening)
  }

  async #nextPiece(sentence: Sentence, signal: AbortSignal): Promise<VoicePiece> {
    signal.throwIfAborted()
    if (this.#closed) throw new SpeechUnavailable('the voice was closed')
    const started = sentence.thread !== undefined
    if (!started && this.waiting >= maxQueued) throw new SpeechUnavailable('too much is to be said at once')
    const { promise, resolve, reject } = Promise.withResolvers<VoicePiece>()
    const job = { sentence, started, due: sentence.due.at, since: performance.now(), resolve, reject }
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

  #serve(): void {
    if (this.#closed) return
    for (const thread of this.#idle) this.#occupy(thread)
    const lost = this.#waiting.filter(({ sentence: { thread } }) => thread?.alive === false)
    if (lost.length > 0) this.#refuse(lost, new SpeechUnavailable('the voice failed in the middle of a sentence'))
    if (this.waiting > 0 && this.#threads.size + this.#opening.size < this.#size) this.#start()
  }

  #occupy(thread: PoolThread): void {
    if (!thread.alive) return this.#forget(thread)
    const job = maxUrgent(
      this.#waiting.filter(({ sentence }) => sentence.thread === undefined || sentence.thread === thread),
      performance.now(),
    )
    if (!job) return
    this.#waiting = this.#waiting.filter((other) => other !== job)
    this.#idle.delete(thread)
    void this.#run(thread, job)
  }

  async #run(thread: PoolThread, { sentence, started, since, due, resolve, reject }: Job): Promise<void> {
    const now = performance.now()
    if (!started) this.#onWaited?.((now - since) / 1000)
    sentence.thread = thread
    const frames = chunkFrames(sentence.pieces++, due - now, this.#pace)
    try {
      const piece = await thread.make({ id: sentence.id, frames, ...(!started && { sentence: sentence.spoken }) })
      if (started && !piece.last) this.#pace.made(frames, performance.now() - now)
      resolve(piece)
    } catch (error) {
      reject(error)
    }
    // The speech that got it asks for the next one at once: that is weighed with the others.
    await turn()
    if (thread.alive) this.#idle.add(thread)
    else this.#forget(thread)
    this.#serve()
  }

  #forget(thread: PoolThread): void {
    this.#idle.delete(thread)
    this.#threads.delete(thread)
  }

  #start(): void {
    const opening = this.#openThread().finally(() => this.#opening.delete(opening))
    this.#opening.add(opening)
    opening.then(
      () => this.#serve(),
      // The next sentence tries again; those that wait are left to the threads that there are.
      (error: unknown) => this.#threads.size === 0 && this.#refuse(this.#waiting, error),
    )
  }

  async #openThread(): Promise<void> {
    const thread = await this.#open()
    if (this.#closed) return thread.close()
    this.#loading.add(thread)
    try {
      await thread.loaded
      this.#threads.add(thread)
      this.#idle.add(thread)
    } finally {
      this.#loading.delete(thread)
    }
  }

  #refuse(refused: readonly Job[], error: unknown): void {
    this.#waiting = this.#waiting.filter((job) => !refused.includes(job))
    for (const { reject } of refused) reject(error)
  }
}
