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
import type { ModelSizes } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'
import { EngineChoice, type Choice, type Engine, hearingFor, whisperCode, type Family } from './engine-choice.ts'
import { LoadShedding, type Waiting } from './load-shedding.ts'
import { type Heard, RecogniserThread } from './recogniser-thread.ts'
import { endsQuietly } from './spoken-part.ts'
import { spokenDigits, spokenWords } from '#core/speech/turns/embedded-turn-detector.ts'
import type { Log } from '#log/log-events.ts'

interface RecogniserDeps {
  models: Pick<Models, 'folderWith'>
  log: Log
  loading?: Pick<Loading, 'begin'>
  sizes: ModelSizes
  workers: number
  /** Processors of the machine. */
  processors: number
  /** Worker script; default: our own. */
  script?: URL
  /** Called with the seconds that a question waited for a thread. */
  onWaited?: ((seconds: number) => void) | undefined
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** A model to load, and the callback for the outcome. */
interface ToLoad {
  folder: string
  ended: ReturnType<Loading['begin']>
  done: PromiseWithResolvers<void>
}

interface Answer extends Heard {
  engine: Engine
}

interface Question extends Queued {
  /** Not asked by a live call. */
  patient?: true | undefined
  /** The answer is no longer needed. */
  forgotten?: true
  /** The quicker model suffices. */
  glance?: true
  /** The quicker model does not suffice. */
  precise?: boolean
  /** Answers to what the caller was asked. */
  phrases?: readonly string[] | undefined
  choice: Choice
  codes: readonly string[]
  /** Empty once it was given to a thread. */
  sound: Int16Array<ArrayBuffer>
  samples: number
  vocabulary: readonly string[]
  askedAt: number
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/** Limit of waiting questions per worker; one is answered in a fraction of a second. */
const waitingPerWorker = 16
/** More threads do not make Whisper faster with sounds of a few seconds. */
const maxThreads = 4

/** Moonshine and Whisper in worker threads, shared by all calls. A thread starts, and loads a model, on first use. */
export class Recogniser implements Stt {
  readonly name = 'embedded'
  readonly #deps: RecogniserDeps
  readonly #now: () => number
  readonly #choice: EngineChoice
  readonly #shedding: LoadShedding
  readonly #queue: QuestionQueue<Question>
  /** Background questions; they wait until no other question does. */
  readonly #patient: Question[] = []
  readonly #threads: RecogniserThread[] = []
  readonly #answering = new Map<Question, RecogniserThread>()
  readonly #toLoad = new Map<Engine, ToLoad>()
  readonly #closing = new AbortController()

  constructor(deps: RecogniserDeps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
    this.#choice = new EngineChoice(deps)
    this.#shedding = new LoadShedding(this.#now, (active) => deps.log(active ? 'recogniser_sheds_load' : 'recogniser_keeps_up'))
    this.#queue = new QuestionQueue(waitingPerWorker * deps.workers)
  }

  /** Number of questions that wait for a thread. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Milliseconds for which the oldest question of a turn has waited for a thread. */
  get waitMs(): number {
    const askedAt = this.#queue.oldest?.askedAt
    return askedAt === undefined ? 0 : this.#now() - askedAt
  }

  /** A new question would be answered immediately. */
  get #idle(): boolean {
    return this.#queue.size === 0 && this.#hasFreeThread()
  }

  hears(language: string): boolean {
    return whisperCode(language) !== undefined
  }

  /** Answers only when asked, so the observer is unused. */
  open(track: SoundTrack, { languages, vocabulary, patient }: SttOptions, _observer?: SttObserver): SttStream {
    const { family, codes } = hearingFor(languages)
    const stream = new AbortController()
    const soundOf = async (from: number, to: number, signal: AbortSignal) => {
      const wanted = AbortSignal.any([signal, stream.signal, this.#closing.signal])
      wanted.throwIfAborted()
      const choice = await this.#choice.of(family)
      await stoppableWait(track.reaches(to), wanted)
      wanted.throwIfAborted()
      return { wanted, choice, sound: track.read(from, to) }
    }
    return {
      transcribe: async (from, to, signal, expected) => {
        const { wanted, choice, sound } = await soundOf(from, to, signal)
        const guess = !endsQuietly(sound)
        const asked = { stream, guess, patient, choice, codes, vocabulary, phrases: expected?.phrases }
        const heard = await this.#ask({ ...asked, precise: expected !== undefined, sound }, wanted)
        const again = { engine: choice.engine, samples: to - from }
        if (guess || heard.engine !== choice.quick || !isDoubtful(heard) || !this.#hasTimeFor(again)) return transcriptOf(heard, languages)
        const better = await this.#ask({ ...asked, precise: true, sound: track.read(from, to) }, wanted)
        return transcriptOf(better, languages)
      },
      glance: async (from, to, signal) => {
        if (!this.#idle) return undefined
        const { wanted, choice, sound } = await soundOf(from, to, signal)
        if (!this.#idle) return undefined
        const heard = await this.#ask({ stream, guess: true, glance: true, choice, codes, sound, vocabulary }, wanted)
        return transcriptOf(heard, languages)
      },
      close: () => stream.abort(),
    }
  }

  /** Loads the models of these languages while no question waits, and logs unknown languages. Resolves when they are loaded, or have failed. */
  async prepare(languages: readonly string[]): Promise<void> {
    for (const language of languages) if (!this.hears(language)) this.#deps.log('recogniser_language_unknown', { language })
    const loads: Promise<void>[] = []
    for (const family of new Set(languages.map((language) => hearingFor([language]).family))) {
      const choice = await this.#choice.of(family).catch((error: unknown) => this.#unloadable(family, error))
      if (!choice || this.#closing.signal.aborted) continue
      loads.push(this.#prepareToLoad(choice.engine, choice.folder))
      // Loaded in advance: under load it would be too late.
      if (choice.quick) loads.push(this.#prepareToLoad(choice.quick, choice.folder))
    }
    this.#next()
    await Promise.all(loads)
  }

  #prepareToLoad(engine: Engine, folder: string): Promise<void> {
    const toLoad = this.#toLoad.get(engine) ?? { folder, ended: this.#begin(engine), done: Promise.withResolvers<void>() }
    this.#toLoad.set(engine, toLoad)
    return toLoad.done.promise
  }

  /** Reports only the first load of a model; other threads load it without a wait. */
  #begin(engine: Engine): ToLoad['ended'] {
    const isThere = this.#threads.some((thread) => thread.has(engine))
    return (isThere ? undefined : this.#deps.loading?.begin(`recogniser ${engine}`)) ?? (() => {})
  }

  async close(): Promise<void> {
    this.#closing.abort(new SpeechUnavailable('the recogniser is closed'))
    for (const { done } of this.#toLoad.values()) done.resolve()
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  async #ask(asked: Omit<Question, 'samples' | 'askedAt' | 'resolve' | 'reject'>, signal: AbortSignal): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const question: Question = { ...asked, samples: asked.sound.length, askedAt: this.#now(), resolve, reject }
    const forget = (): void => this.#forget(question, signal.reason as Error)
    signal.addEventListener('abort', forget)
    if (question.patient) this.#patient.push(question)
    else for (const dropped of this.#queue.add(question)) dropped.reject(lostPlace(dropped, question))
    this.#next()
    try {
      return await promise
    } finally {
      // Otherwise a stream would retain all of its questions.
      signal.removeEventListener('abort', forget)
    }
  }

  /** Rejects immediately, whether it waits or is being answered. */
  #forget(question: Question, reason: Error): void {
    question.forgotten = true
    const waits = this.#patient.indexOf(question)
    if (waits >= 0) this.#patient.splice(waits, 1)
    else if (!this.#queue.remove(question)) this.#answering.get(question)?.cancel()
    question.reject(reason)
  }

  #next(): void {
    if (this.#closing.signal.aborted) return
    if (!this.#hasFreeThread()) return this.#queue.size > 0 ? this.#evict() : undefined
    const question = this.#queue.take() ?? this.#takePatient()
    if (question) void this.#answer(question, this.#engineFor(question))
    else {
      const [engine, toLoad] = this.#toLoad.entries().next().value ?? []
      if (engine === undefined || toLoad === undefined) return
      this.#toLoad.delete(engine)
      void this.#load(engine, toLoad)
    }
    this.#next()
  }

  /** Cancels a background question to free its thread. */
  #evict(): void {
    const given = [...this.#answering].find(([{ patient }]) => patient)
    if (given) given[1].cancel()
  }

  /** One at a time, so that other threads stay free for calls. */
  #takePatient(): Question | undefined {
    return [...this.#answering.keys()].some(({ patient }) => patient) ? undefined : this.#patient.shift()
  }

  async #load(engine: Engine, { folder, ended, done }: ToLoad): Promise<void> {
    const thread = this.#freeThread(engine)
    try {
      if (!thread.has(engine)) await thread.load(engine, folder)
      ended('loaded')
    } catch (error) {
      ended('failed')
      this.#unloadable(engine, error)
    }
    done.resolve()
    this.#next()
  }

  #unloadable(engine: Engine | Family, error: unknown): undefined {
    if (!this.#closing.signal.aborted) this.#deps.log('recogniser_not_loaded', { engine, why: (error as Error).message })
  }

  /** The quicker model, if it is loaded, for a glance or under load. */
  #engineFor({ choice: { engine, quick }, samples, glance, patient, precise = false, askedAt }: Question): Engine {
    if (patient || quick === undefined || !this.#threads.some((thread) => !thread.busy && thread.has(quick))) return engine
    const about = { engine, quick, samples, precise, askedAt }
    return glance || this.#shedding.requires(about, this.#ahead, this.#deps.workers) ? quick : engine
  }

  /** Whether a turn can wait for a second answer. */
  #hasTimeFor(again: Waiting): boolean {
    const running = [...this.#answering.keys()].filter((one) => !one.patient).map(workOf)
    return this.#shedding.hasTimeFor(again, [...running, ...this.#ahead], this.#deps.workers)
  }

  /** Questions of turns that wait. */
  get #ahead(): Waiting[] {
    return this.#queue.turns.map(workOf)
  }

  async #answer(question: Question, engine: Engine): Promise<void> {
    const { choice, codes, vocabulary, phrases, patient } = question
    // The sound is transferred to the thread; a question that may start over needs a copy.
    const sound = patient ? question.sound.slice() : question.sound
    const thread = this.#freeThread(engine)
    this.#answering.set(question, thread)
    const beganAt = this.#now()
    const wasLoaded = thread.has(engine)
    if (!patient) this.#deps.onWaited?.((beganAt - question.askedAt) / 1000)
    try {
      const heard = await thread.hear({ engine, codes, folder: choice.folder, sound, vocabulary, phrases, patient })
      if (wasLoaded) this.#shedding.took(this.#now() - beganAt, { engine, samples: question.samples })
      question.resolve({ ...heard, engine })
    } catch (error) {
      if (patient && !question.forgotten && isCancelled(error)) this.#patient.unshift(question)
      else question.reject(error as Error)
    }
    this.#answering.delete(question)
    this.#next()
  }

  #hasFreeThread(): boolean {
    return this.#threads.length < this.#deps.workers || this.#threads.some(({ busy }) => !busy)
  }

  /** Prefers a thread that has loaded the model, then any idle one, then a new one. */
  #freeThread(engine: Engine): RecogniserThread {
    const free = this.#threads.filter(({ busy }) => !busy)
    return free.find((thread) => thread.has(engine)) ?? free[0] ?? this.#startThread()
  }

  #startThread(): RecogniserThread {
    const { workers, processors, script } = this.#deps
    const whisperThreads = Math.min(maxThreads, Math.max(1, Math.floor(processors / workers)))
    const thread = new RecogniserThread({ whisperThreads }, script)
    this.#threads.push(thread)
    void thread.ended.then(() => {
      this.#threads.splice(this.#threads.indexOf(thread), 1)
      if (!this.#closing.signal.aborted) this.#deps.log('recogniser_thread_died')
      this.#next()
    })
    return thread
  }
}

/** Answers of the quicker model with fewer words or less confidence are often wrong. */
const fewWords = 2
const doubtfulBelow = 0.75

/** Worth a second answer: what is said seldom, or a number, of which every digit counts. */
const isDoubtful = ({ text, confidence, language }: Answer): boolean =>
  confidence < doubtfulBelow || spokenWords(text).length <= fewWords || spokenDigits(text, language).count > 0

const workOf = ({ choice: { engine }, samples }: Question): Waiting => ({ engine, samples })

const transcriptOf = ({ text, confidence, language, tail, lastSound, snrDb, engine }: Answer, languages: readonly string[]): Transcript => {
  if (text === '') return { text }
  const asked = languages.find((one) => whisperCode(one) === language)
  return {
    text,
    confidence: Math.round(confidence * 1000) / 1000,
    language: asked ?? language,
    model: engine,
    ...(tail && { tail }),
    ...(lastSound && { lastSound }),
    ...(snrDb !== undefined && { snrDb: Math.round(snrDb) }),
  }
}

const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

const lostPlace = (dropped: Question, newer: Question): Error =>
  dropped.stream === newer.stream && dropped !== newer
    ? new DOMException('a newer question took its place', 'AbortError')
    : new SpeechUnavailable('the recogniser has too much to do')

interface Queued {
  /** Owner of the question. */
  stream: object
  /** Asked while the caller still speaks: the turn does not wait for the answer. */
  guess: boolean
}

/** Questions that wait for a recogniser: at most one per stream, and a limited number. */
class QuestionQueue<Q extends Queued> {
  readonly #limit: number
  readonly #questions: Q[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#questions.length
  }

  /** The oldest question that a turn waits for. */
  get oldest(): Q | undefined {
    return this.#questions.find(({ guess }) => !guess)
  }

  /** Those that turns wait for. */
  get turns(): Q[] {
    return this.#questions.filter(({ guess }) => !guess)
  }

  /** Returns the displaced questions: an older one of the same stream, or one above the limit (a guess if there is one). */
  add(question: Q): Q[] {
    const older = this.#questions.find(({ stream }) => stream === question.stream)
    if (older) this.remove(older)
    this.#questions.push(question)
    if (this.#questions.length <= this.#limit) return older ? [older] : []
    const dropped = this.#questions.find(({ guess }) => guess) ?? question
    this.remove(dropped)
    return [dropped]
  }

  /** The oldest question that a turn waits for, then the oldest guess. */
  take(): Q | undefined {
    const next = this.oldest ?? this.#questions[0]
    if (next) this.remove(next)
    return next
  }

  /** Returns whether it was still queued. */
  remove(question: Q): boolean {
    const index = this.#questions.indexOf(question)
    if (index >= 0) this.#questions.splice(index, 1)
    return index >= 0
  }
}
