import type { SttObserver, SttStream, Transcript, SpokenWord } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { LiveConnection, type Heard, type LiveDialect, type LiveFault, type HeardWord } from './live-connection.ts'
import type { Provider } from './provider.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'

/** Milliseconds after the request to finish. */
const wordsTimeoutMs = 2_500
/** Used when almost everything is final: a provider stays silent if too little was left. */
const restTimeoutMs = 400
const almost = 300 * samplesPerMs
/** Silence before the first word of a question; this part may be missing. */
const leadIn = 400 * samplesPerMs
/** A final result may end slightly before the requested position. */
const exact = 20 * samplesPerMs

interface Question {
  from: number
  to: number
  /** The provider was asked to finish, on the current connection. */
  asked: boolean
  /** Only a short rest is not final. */
  nearlyDone: boolean
  resolve(transcript: Transcript): void
  reject(error: Error): void
  cancelTimer(): void
}

/** Tracks connections, so that all of them are closed at the end. */
interface LiveStreamOwner {
  /** `closed` resolves when the connection is gone. */
  connected(closed: Promise<void>): void
  /** The stream hears and reports no more. */
  ended(): void
}

/** Streams a track to a recogniser over one connection; after a failure a second connection hears the non-final part again. */
class LiveStream implements SttStream {
  readonly #provider: Provider
  readonly #dialect: LiveDialect
  readonly #track: SoundTrack
  readonly #observer: SttObserver
  readonly #questions = new Set<Question>()
  readonly #owner: LiveStreamOwner
  /** Aborted when the stream ends; its reason says why. */
  readonly #ended = new AbortController()
  #connection: LiveConnection | undefined
  /** Earlier sound was never sent. */
  #since: number
  #heard: HeardSoFar
  /** The last connection failed and this one has not heard anything yet. */
  #secondTry = false
  /** Everything before was requested or followed by a pause. */
  #settled: number
  #lastPartial = ''

  constructor(provider: Provider, dialect: LiveDialect, track: SoundTrack, observer: SttObserver, owner: LiveStreamOwner) {
    this.#provider = provider
    this.#dialect = dialect
    this.#track = track
    this.#observer = observer
    this.#owner = owner
    this.#since = track.length
    this.#settled = this.#since
    this.#heard = new HeardSoFar(this.#since)
    this.#connect(this.#since)
  }

  async transcribe(from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    const wanted = AbortSignal.any([signal, this.#ended.signal])
    await stoppableWait(this.#track.reaches(to), wanted)
    this.#hearSince(from)
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    const place = Math.min(to, this.#track.length)
    const question: Question = { from, to: place, asked: false, nearlyDone: false, resolve, reject, cancelTimer: () => {} }
    this.#questions.add(question)
    this.#wait(question, wordsTimeoutMs)
    this.#poll(question)
    try {
      return await stoppableWait(promise, wanted)
    } finally {
      this.#drop(question)
    }
  }

  close(): void {
    this.#ended.abort(new Error('Closed'))
    this.#connection?.close()
    this.#owner.ended()
  }

  /** Sends the buffered part of words that began before the stream was opened. */
  #hearSince(place: number): void {
    const oldest = this.#since - this.#track.read(place, this.#since).length
    if (place >= this.#since - leadIn || oldest >= this.#since) return
    this.#connection?.close()
    this.#since = oldest
    this.#heard = new HeardSoFar(oldest)
    for (const question of this.#questions) question.asked = false
    this.#connect(oldest)
  }

  #connect(start: number): void {
    try {
      this.#provider.awake()
    } catch (error) {
      queueMicrotask(() => this.#fail(error as Error))
      return
    }
    this.#connection = new LiveConnection(this.#provider, this.#dialect, this.#track, start, {
      opened: () => this.#opened(),
      heard: (heard) => this.#take(heard),
      broke: (fault) => this.#broke(fault),
    })
    this.#owner.connected(this.#connection.closed)
  }

  #opened(): void {
    // Signals that partials come without asking: asking in the middle of a word would end it there.
    this.#observer.partial?.('')
    for (const question of this.#questions) this.#poll(question)
  }

  /** Answers the question if everything is final; otherwise asks the provider to finish. */
  #poll(question: Question): void {
    const left = question.to - this.#heard.finalUntil
    if (left <= exact) {
      this.#answer(question)
      return
    }
    const ask = !question.asked && this.#connection?.open === true
    if (ask) this.#connection?.finish()
    question.asked ||= ask
    const nearlyDone = question.asked && left <= almost
    if (nearlyDone && !question.nearlyDone) this.#wait(question, restTimeoutMs)
    else if (ask) this.#wait(question, wordsTimeoutMs)
    question.nearlyDone = nearlyDone
  }

  #wait(question: Question, ms: number): void {
    question.cancelTimer()
    question.cancelTimer = this.#provider.clock.after(ms, () => this.#tooLate(question))
  }

  /** Answers with the words so far, unless there are none. */
  #tooLate(question: Question): void {
    if (this.#heard.until > question.from) {
      this.#answer(question)
      return
    }
    const fault = this.#provider.fault(`told nothing within ${wordsTimeoutMs} ms`)
    this.#drop(question)
    question.reject(fault)
    this.#connection?.abandon(fault)
  }

  #answer(question: Question): void {
    question.resolve(heardBetween(this.#heard.all(), question.from, question.to))
    this.#settle(question.to)
    this.#drop(question)
  }

  #drop(question: Question): void {
    question.cancelTimer()
    this.#questions.delete(question)
  }

  #take(heard: Heard): void {
    this.#secondTry = false
    this.#heard.add(heard)
    this.#emitPartial()
    if (!heard.final) return
    if (heard.pause === true) this.#settle(heard.to)
    for (const question of this.#questions) this.#poll(question)
  }

  #settle(place: number): void {
    this.#settled = Math.max(this.#settled, place)
    this.#lastPartial = ''
  }

  #emitPartial(): void {
    const { text } = heardBetween(this.#heard.all(), this.#settled, Infinity)
    if (text === '' || text === this.#lastPartial) return
    this.#lastPartial = text
    this.#observer.partial?.(text)
  }

  #broke({ fault, again }: LiveFault): void {
    if (!again || this.#secondTry) {
      this.#fail(again ? this.#provider.outage(fault) : fault)
      return
    }
    this.#secondTry = true
    for (const question of this.#questions) question.asked = false
    this.#heard.forgetPreliminary()
    this.#connect(this.#heard.finalUntil)
  }

  #fail(error: Error): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort(error)
    this.#owner.ended()
    this.#observer.failed(error)
  }
}

/** All open streams, so that they can be closed together. */
export class LiveStreams {
  readonly #streams = new Set<SttStream>()
  readonly #connections = new Set<Promise<void>>()

  open(provider: Provider, dialect: LiveDialect, track: SoundTrack, observer: SttObserver): SttStream {
    const stream: LiveStream = new LiveStream(provider, dialect, track, observer, {
      connected: (closed) => this.#remember(closed),
      ended: () => this.#streams.delete(stream),
    })
    this.#streams.add(stream)
    return stream
  }

  /** Resolves when the last connection is closed. */
  async close(): Promise<void> {
    for (const stream of this.#streams) stream.close()
    await Promise.all(this.#connections)
  }

  #remember(connection: Promise<void>): void {
    this.#connections.add(connection)
    void connection.then(() => this.#connections.delete(connection))
  }
}

/** Exceeds every possible question: a track keeps half a minute. */
const remembered = 60_000 * samplesPerMs
/** Accuracy of the providers' word positions. */
const blur = 100 * samplesPerMs

/** Transcript of a track so far. */
class HeardSoFar {
  readonly #start: number
  readonly #final: Heard[] = []
  #preliminary: Heard | undefined

  constructor(start: number) {
    this.#start = start
  }

  add(heard: Heard): void {
    if (!heard.final) {
      this.#preliminary = heard
      return
    }
    if (this.#preliminary && this.#preliminary.from < heard.to) this.#preliminary = undefined
    this.#final.push(heard)
    if ((this.#final[0]?.to ?? Infinity) < heard.to - remembered) this.#final.shift()
  }

  /** Drops partials; the provider will repeat them. */
  forgetPreliminary(): void {
    this.#preliminary = undefined
  }

  get finalUntil(): number {
    return this.#final.at(-1)?.to ?? this.#start
  }

  get until(): number {
    return Math.max(this.finalUntil, this.#preliminary?.to ?? this.#start)
  }

  all(): Heard[] {
    return this.#preliminary ? [...this.#final, this.#preliminary] : this.#final
  }
}

/** Words between two positions of the track. */
const heardBetween = (all: readonly Heard[], from: number, to: number): Transcript => {
  const parts = all.map((heard) => partBetween(heard, from, to)).filter(({ text }) => text !== '')
  const confidences = parts.map(({ confidence }) => confidence).filter((confidence) => confidence !== undefined)
  const language = parts.findLast((part) => part.language !== undefined)?.language
  const timed = parts.length > 0 && parts.every(({ words }) => words !== undefined)
  return {
    text: parts.map(({ text }) => text).join(' '),
    ...(confidences.length > 0 && { confidence: confidences.reduce((sum, one) => sum + one, 0) / confidences.length }),
    ...(language !== undefined && { language }),
    ...(timed && { words: parts.flatMap(({ words = [] }) => words.map((word) => spokenWord(word, from))) }),
  }
}

const partBetween = (heard: Heard, from: number, to: number): Heard => {
  if (!heard.words) return { ...heard, text: heard.to > from + blur && heard.from < to ? heard.text : '' }
  const words = heard.words.filter((word) => {
    const middle = (word.from + word.to) / 2
    return middle >= from - blur && middle <= to + blur
  })
  // The whole text is better than its joined words: numbers and the like are formatted.
  const text = words.length === heard.words.length ? heard.text : words.map((word) => word.text).join(' ')
  return { ...heard, text, words }
}

const spokenWord = ({ text, from, to, confidence }: HeardWord, start: number): SpokenWord => {
  const msAt = (place: number): number => Math.max(0, Math.round((place - start) / samplesPerMs))
  return { text, startMs: msAt(from), endMs: msAt(to), ...(confidence !== undefined && { confidence }) }
}
