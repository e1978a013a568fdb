import { setImmediate as turn } from 'node:timers/promises'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { type PieceOrder, type SpokenSentence, type VoicePiece, voiceRate } from './voice-protocol.ts'

/** Sentences above this limit are rejected: they would be heard much too late. */
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
  /** The thread that has started it: only that thread can continue. */
  thread: PoolThread | undefined
  pieces: number
}

interface Job extends Urgency {
  sentence: Sentence
  /** Time on the clock of `performance`, as `due`. */
  since: number
  resolve: (piece: VoicePiece) => void
  reject: (error: unknown) => void
}

/** All threads of one language. They make sentences in chunks, the most urgent first, across calls. */
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

  /** `open` returns a thread that begins to load its model. `onWaited`: seconds that a sentence waited for a thread. */
  constructor(size: number, open: () => Promise<PoolThread>, onWaited?: (seconds: number) => void) {
    this.#onWaited = onWaited
    this.#size = size
    this.#open = open
  }

  /** Number of sentences that wait for a thread to start them. */
  get waiting(): number {
    return this.#waiting.filter(({ started }) => !started).length
  }

  /** Starts the first thread if there is none. Rejects when that fails. */
  async warm(): Promise<void> {
    if (this.#threads.size === 0 && this.#opening.size === 0) this.#start()
    await Promise.all(this.#opening)
  }

  /**
   * Yields sound as soon as some is ready; the next chunk is made when requested. Rejects with the signal's reason as soon as it is
   * aborted.
   */
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
    // The speech that got the chunk requests the next one immediately: it competes with the others.
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
      // The next sentence retries; waiting ones are left to the existing threads.
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

/** Frames of 11.6 ms at normal speed. The first chunk must last while the next one is made. */
const growing = [24, 60, 120, 240] as const
const maxBytes = 240
const framesPerMs = 44.1 / 512
/** While this much is left to play, there is time for a chunk of twice that length: making sound takes a seventh of its duration. */
const safely = 2
/** Time to make a typical chunk: sound due earlier cannot wait for another chunk. */
const soonThresholdMs = 150

/** Sound needed this late may never be needed: a sentence that arrives in between waits for one chunk of it. */
const longDelayMs = 60_000
const whileIdle = 120

/** Frames before the first sound. */
const silentFrames = 6
/** Overhead of a chunk in frames: a part of the surrounding frames is computed as well; see vocoder.ts. */
const contextFrames = 6

/** Recent time per frame; longer on a busy machine. */
export class Pace {
  #msPerFrame = 1

  get msPerFrame(): number {
    return this.#msPerFrame
  }

  made(frames: number, ms: number): void {
    this.#msPerFrame += (ms / (frames + contextFrames) - this.#msPerFrame) / 4
  }
}

/**
 * Length of a chunk. Longer ones cost less, shorter ones are ready sooner; but the first must last until the second is made. `aheadMs` of
 * sound are left to play before it.
 */
export const chunkFrames = (before: number, aheadMs: number, { msPerFrame }: Pick<Pace, 'msPerFrame'>): number => {
  if (aheadMs > longDelayMs) return whileIdle
  const ahead = Math.floor(safely * aheadMs * framesPerMs)
  const lasting = before === 0 ? silentFrames + Math.ceil((growing[1] + contextFrames) * msPerFrame * framesPerMs) : 0
  return Math.min(maxBytes, Math.max(growing[before] ?? maxBytes, ahead, lasting))
}

interface Urgency {
  /** Time on the clock of `performance`. */
  due: number
  /** A part of the sentence was made. */
  started: boolean
}

/**
 * Order: sentences that would fall silent in the middle; callers who wait for a first sound; the rest of started sentences, so that few are
 * held half made; last, sound that is needed later.
 */
const rankOf = ({ due, started }: Urgency, now: number): number => {
  const soon = due - now < soonThresholdMs
  return started ? (soon ? 0 : 2) : soon ? 1 : 3
}

const maxUrgent = <T extends Urgency>(waiting: readonly T[], now: number): T | undefined =>
  waiting.toSorted((one, other) => rankOf(one, now) - rankOf(other, now) || one.due - other.due)[0]

/** Time at which the next sound of a speech is needed: the end of the previous one. On the clock of `performance`. */
export class SoundDue {
  #at: number

  /** `aheadMs` of the speech are left to play. */
  constructor(aheadMs: number) {
    this.#at = performance.now() + aheadMs
  }

  get at(): number {
    return this.#at
  }

  gave(samples: number): void {
    this.#at = Math.max(this.#at, performance.now()) + (samples * 1000) / voiceRate
  }
}
