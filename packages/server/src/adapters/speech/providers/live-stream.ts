import type { SttObserver, SttStream, Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { heardBetween, HeardSoFar } from './heard-so-far.ts'
import { LiveConnection, type Heard, type LiveDialect, type LiveFault } from './live-connection.ts'
import type { Provider } from './provider.ts'
import { stoppableWait } from '../stoppable-wait.ts'

/** After having been asked to finish. */
const wordsTimeoutMs = 2_500
/** When almost everything is final already: a provider says nothing more if too little was left. */
const restTimeoutMs = 400
const almost = 300 * samplesPerMs
/** How much silence precedes the first word of a question: it does no harm if that part is missing. */
const leadIn = 400 * samplesPerMs
/** A final piece may end a little before the place that was asked for. */
const exact = 20 * samplesPerMs

interface Question {
  from: number
  to: number
  /** The provider was asked to finish, on the connection that is in use. */
  asked: boolean
  /** And little is left. */
  nearlyDone: boolean
  resolve(transcript: Transcript): void
  reject(error: Error): void
  cancelTimer(): void
}

/** Keeps account of connections, so that none is left open at the end. */
export interface LiveStreamOwner {
  /** `closed` resolves when the connection is gone. */
  connected(closed: Promise<void>): void
  /** It will neither hear nor tell anything any more. */
  ended(): void
}

/** A recogniser that listens all the time, over one connection; when that breaks, over a second one that hears again what was not final. */
export class LiveStream implements SttStream {
  readonly #provider: Provider
  readonly #dialect: LiveDialect
  readonly #track: SoundTrack
  readonly #observer: SttObserver
  readonly #questions = new Set<Question>()
  readonly #owner: LiveStreamOwner
  /** Aborted when nothing more will be heard; its reason says why. */
  readonly #ended = new AbortController()
  #connection: LiveConnection | undefined
  /** What is before was never sent. */
  #since: number
  #heard: HeardSoFar
  /** The connection before broke and this one has not heard anything yet. */
  #secondTry = false
  /** What was said before is over: it was asked for, or a pause followed. */
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

  /** Of words that began before the stream was opened, what is still in the track is sent. */
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
    // Says that partial results come by themselves: asking in the middle of a word would end it there.
    this.#observer.partial?.('')
    for (const question of this.#questions) this.#poll(question)
  }

  /** Answers it if everything is known, else asks the provider to finish. */
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

  /** What it has until now has to do, unless it has not said anything. */
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
