import {
  SpeechUnavailable,
  type Stt,
  type SttObserver,
  type SttOptions,
  type SttStream,
  type Transcript,
} from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { Loading } from '../loading.ts'
import type { ModelPart } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import { stoppableWait } from '../stoppable-wait.ts'
import { hearingFor, whisperCode, type Engine, type Hearing } from './languages.ts'
import type { Heard } from './recogniser-protocol.ts'
import { QuestionQueue, type Queued } from './question-queue.ts'
import { RecogniserThread } from './recogniser-thread.ts'
import { endsQuietly } from './spoken-part.ts'
import type { Log } from '#log/log-events.ts'

export interface RecogniserParts {
  models: Pick<Models, 'folderWith'>
  log: Log
  loading?: Pick<Loading, 'begin'>
  whisper: 'base' | 'small'
  workers: number
  /** Of the machine. */
  processors: number
  /** What a worker runs, if not ours. */
  script?: URL
  /** A question waited for a thread for so many seconds. */
  onWaited?: ((seconds: number) => void) | undefined
}

/** What shall be loaded, and whom to tell how that ended. */
interface ToLoad {
  folder: string
  ended: ReturnType<Loading['begin']>
}

interface Question extends Queued {
  hearing: Hearing
  folder: string
  sound: Int16Array<ArrayBuffer>
  vocabulary: readonly string[]
  /** On the clock of `performance`. */
  askedAt: number
  resolve: (heard: Heard) => void
  reject: (error: Error) => void
}

/** Limit of waiting questions for each worker; one is answered in a fraction of a second. */
const waitingPerWorker = 16
/** More do not make Whisper faster with sounds of a few seconds. */
const mostThreads = 4

/**
 * Moonshine and Whisper in threads of their own, shared by all calls. A thread starts, and loads a model, when it is needed for the first
 * time.
 */
export class Recogniser implements Stt {
  readonly name = 'embedded'
  readonly #parts: RecogniserParts
  readonly #queue: QuestionQueue<Question>
  readonly #threads: RecogniserThread[] = []
  readonly #answering = new Map<Question, RecogniserThread>()
  readonly #toLoad = new Map<Engine, ToLoad>()
  readonly #closing = new AbortController()

  constructor(parts: RecogniserParts) {
    this.#parts = parts
    this.#queue = new QuestionQueue(waitingPerWorker * parts.workers)
  }

  /** Questions that wait for a thread. */
  get waiting(): number {
    return this.#queue.size
  }

  hears(language: string): boolean {
    return whisperCode(language) !== undefined
  }

  /** It speaks only when it is asked, so there is nothing to observe. */
  open(track: SoundTrack, { languages, vocabulary }: SttOptions, _observer?: SttObserver): SttStream {
    const hearing = hearingFor(languages)
    const stream = new AbortController()
    return {
      transcribe: async (from, to, signal) => {
        const wanted = AbortSignal.any([signal, stream.signal, this.#closing.signal])
        wanted.throwIfAborted()
        const folder = await this.#folderFor(hearing.engine)
        await stoppableWait(track.reaches(to), wanted)
        wanted.throwIfAborted()
        const sound = track.read(from, to)
        const heard = await this.#ask({ stream, guess: !endsQuietly(sound), hearing, folder, sound, vocabulary }, wanted)
        return transcriptOf(heard, languages)
      },
      close: () => stream.abort(),
    }
  }

  /** Loads what these languages need while no question waits, and returns those it does not know. */
  async prepare(languages: readonly string[]): Promise<void> {
    for (const language of languages) if (!this.hears(language)) this.#parts.log('recogniser_language_unknown', { language })
    const engines = new Set(languages.map((language) => hearingFor([language]).engine))
    for (const engine of engines) {
      const folder = await this.#folderFor(engine).catch((error: unknown) => this.#unloadable(engine, error))
      if (folder !== undefined && !this.#toLoad.has(engine)) this.#toLoad.set(engine, { folder, ended: this.#begin(engine) })
    }
    this.#next()
  }

  /** Another thread may have to load it again: that is nothing to wait for. */
  #begin(engine: Engine): ToLoad['ended'] {
    const isThere = this.#threads.some((thread) => thread.has(engine))
    return (isThere ? undefined : this.#parts.loading?.begin(`recogniser ${engine}`)) ?? (() => {})
  }

  async close(): Promise<void> {
    this.#closing.abort(new SpeechUnavailable('the recogniser is closed'))
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #folderFor(engine: Engine): Promise<string> {
    const parts: Record<Engine, ModelPart> = {
      moonshine: 'stt-en',
      whisper: this.#parts.whisper === 'base' ? 'stt-multi' : 'stt-multi-small',
    }
    return this.#parts.models.folderWith(parts[engine])
  }

  async #ask(asked: Omit<Question, 'askedAt' | 'resolve' | 'reject'>, signal: AbortSignal): Promise<Heard> {
    const { promise, resolve, reject } = Promise.withResolvers<Heard>()
    const question: Question = { ...asked, askedAt: performance.now(), resolve, reject }
    const forget = (): void => this.#forget(question, signal.reason as Error)
    signal.addEventListener('abort', forget)
    for (const dropped of this.#queue.add(question)) dropped.reject(lostPlace(dropped, question))
    this.#next()
    try {
      return await promise
    } finally {
      // Otherwise a stream would remember every question that it was ever asked.
      signal.removeEventListener('abort', forget)
    }
  }

  /** Rejected at once, whether it waits or is being answered. */
  #forget(question: Question, reason: Error): void {
    if (!this.#queue.remove(question)) this.#answering.get(question)?.cancel()
    question.reject(reason)
  }

  #next(): void {
    if (this.#closing.signal.aborted || !this.#hasFreeThread()) return
    const question = this.#queue.take()
    if (question) void this.#answer(question, this.#freeThread(question.hearing.engine))
    else {
      const [engine, toLoad] = this.#toLoad.entries().next().value ?? []
      if (engine === undefined || toLoad === undefined) return
      this.#toLoad.delete(engine)
      void this.#load(engine, toLoad)
    }
    this.#next()
  }

  async #load(engine: Engine, { folder, ended }: ToLoad): Promise<void> {
    const thread = this.#freeThread(engine)
    if (thread.has(engine)) return ended('loaded')
    try {
      await thread.load(engine, folder)
      ended('loaded')
    } catch (error) {
      ended('failed')
      this.#unloadable(engine, error)
    }
    this.#next()
  }

  #unloadable(engine: Engine, error: unknown): undefined {
    if (!this.#closing.signal.aborted) this.#parts.log('recogniser_not_loaded', { engine, why: (error as Error).message })
  }

  async #answer(question: Question, thread: RecogniserThread): Promise<void> {
    const { hearing, folder, sound, vocabulary } = question
    this.#answering.set(question, thread)
    this.#parts.onWaited?.((performance.now() - question.askedAt) / 1000)
    try {
      question.resolve(await thread.hear({ engine: hearing.engine, codes: hearing.codes, folder, sound, vocabulary }))
    } catch (error) {
      question.reject(error as Error)
    }
    this.#answering.delete(question)
    this.#next()
  }

  #hasFreeThread(): boolean {
    return this.#threads.length < this.#parts.workers || this.#threads.some(({ busy }) => !busy)
  }

  /** One that has loaded the model, or else any; a new one, if there is none. */
  #freeThread(engine: Engine): RecogniserThread {
    const free = this.#threads.filter(({ busy }) => !busy)
    return free.find((thread) => thread.has(engine)) ?? free[0] ?? this.#startThread()
  }

  #startThread(): RecogniserThread {
    const { whisper, workers, processors, script } = this.#parts
    const whisperThreads = Math.min(mostThreads, Math.max(1, Math.floor(processors / workers)))
    const thread = new RecogniserThread({ whisper, whisperThreads }, script)
    this.#threads.push(thread)
    void thread.ended.then(() => {
      this.#threads.splice(this.#threads.indexOf(thread), 1)
      if (!this.#closing.signal.aborted) this.#parts.log('recogniser_thread_died')
      this.#next()
    })
    return thread
  }
}

const transcriptOf = ({ text, confidence, language, tail }: Heard, languages: readonly string[]): Transcript => {
  if (text === '') return { text }
  const asked = languages.find((one) => whisperCode(one) === language)
  return { text, confidence: Math.round(confidence * 1000) / 1000, language: asked ?? language, ...(tail && { tail }) }
}

const lostPlace = (dropped: Question, newer: Question): Error =>
  dropped.stream === newer.stream && dropped !== newer
    ? new DOMException('a newer question took its place', 'AbortError')
    : new SpeechUnavailable('the recogniser has too much to do')
