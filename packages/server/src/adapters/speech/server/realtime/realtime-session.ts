import { randomUUID } from 'node:crypto'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import type { Stt, Vad } from '#core/kernel/ports/speech.ts'
import { sleep } from '#core/kernel/work/waiting.ts'
import { badField, ServiceError } from '../service-error.ts'
import { joinedText } from '../transcription-request.ts'
import { transcribe, type Segment, type TranscriptionDeps } from '../transcription.ts'
import { detectedSound, plainSound, type SessionSound } from './session-sound.ts'
import { decoderOf, defaultSettings, describeSettings, updatedSettings, type SessionSettings } from './session-settings.ts'
import { StableWords } from './stable-words.ts'

export interface RealtimeDeps {
  speech: { vad: Vad; stt: Stt }
  transcription: TranscriptionDeps
  /** A request failed by our own fault. */
  onFault: (error: unknown) => void
}

type ServerEvent = { type: string } & Record<string, unknown>

/** One utterance: from its first sound to the commit. */
interface Item {
  id: string
  from: number
  words: StableWords
}

/** The recognisers were trained with at most half a minute. */
const maxItemSamples = 25_000 * samplesPerMs
const minItemSamples = 100 * samplesPerMs
/** Silence after the last word. */
const trailSamples = 200 * samplesPerMs
/** Part of each pause: the detector runs in another thread. */
const settleMs = 100
/** Sound between two partial transcripts. */
const partialSamples = 500 * samplesPerMs

/** A transcription session of OpenAI's Realtime interface: sound in, partial and final transcripts out. */
export class RealtimeSession {
  readonly #deps: RealtimeDeps
  readonly #send: (event: ServerEvent) => void
  readonly #id = `sess_${randomUUID()}`
  readonly #ended = new AbortController()
  #settings: SessionSettings = defaultSettings
  #decode = decoderOf(defaultSettings.encoding)
  #sound: SessionSound | undefined
  #item: Item | undefined
  #lastItemId: string | null = null
  /** The speaker has paused since this position. */
  #pausedAt: number | undefined
  /** Final transcripts, in the order of their commits. */
  #transcribing = Promise.resolve()

  constructor(deps: RealtimeDeps, send: (event: ServerEvent) => void) {
    this.#deps = deps
    this.#send = (event) => send({ event_id: `event_${randomUUID()}`, ...event })
    this.#send({ type: 'session.created', session: this.#described })
  }

  /** Handles one event of the client; resolves when the session takes the next one. */
  async take(event: Record<string, unknown>): Promise<void> {
    try {
      await this.#handle(event)
    } catch (error) {
      this.#report(error, event['event_id'])
    }
  }

  close(): void {
    this.#ended.abort(new Error('the session has ended'))
    this.#sound?.close()
  }

  get #described(): object {
    return { id: this.#id, ...describeSettings(this.#settings) }
  }

  async #handle(event: Record<string, unknown>): Promise<void> {
    const { type } = event
    if (type === 'session.update' || type === 'transcription_session.update') return this.#update(event['session'], type)
    if (type === 'input_audio_buffer.append') return this.#append(event['audio'])
    if (type === 'input_audio_buffer.commit') return this.#commit()
    if (type === 'input_audio_buffer.clear') return this.#clear()
    throw badField('type', `The event "${String(type).slice(0, 60)}" is not known here.`, 'unknown_event')
  }

  #update(session: unknown, type: string): void {
    this.#settings = updatedSettings(this.#settings, session, this.#deps.speech.stt)
    this.#decode = decoderOf(this.#settings.encoding)
    this.#sound?.close()
    this.#sound = undefined
    this.#item = undefined
    this.#send({ type: type === 'session.update' ? 'session.updated' : 'transcription_session.updated', session: this.#described })
  }

  async #append(audio: unknown): Promise<void> {
    if (typeof audio !== 'string') throw badField('audio', 'audio must be base64.')
    const samples = this.#decode(Buffer.from(audio, 'base64'))
    const sound = (this.#sound ??= this.#openSound())
    await sound.write(samples)
    if (this.#settings.pauses) return
    this.#item ??= this.#begin(sound.track.length - samples.length)
    if (sound.track.length - this.#item.from >= maxItemSamples) this.#end(this.#item, sound.track.length)
  }

  #openSound(): SessionSound {
    this.#pausedAt = undefined
    if (!this.#settings.pauses) return plainSound()
    return detectedSound(this.#deps.speech.vad, {
      started: (at) => this.#started(at),
      stopped: (at) => void this.#stopped(at),
      lost: () => this.#report(new ServiceError(500, 'internal_error', 'Speech can no longer be detected. Connect again.'), undefined),
    })
  }

  #started(at: number): void {
    const [item, pausedAt, { pauses }] = [this.#item, this.#pausedAt, this.#settings]
    if (!pauses) return
    if (item && pausedAt !== undefined && at - pausedAt >= pauses.silenceMs * samplesPerMs) this.#stop(item, pausedAt)
    this.#pausedAt = undefined
    if (this.#item) return
    const next = (this.#item = this.#begin(Math.max(0, at - pauses.prefixMs * samplesPerMs)))
    this.#send({ type: 'input_audio_buffer.speech_started', audio_start_ms: next.from / samplesPerMs, item_id: next.id })
  }

  /** Measures the pause in sound, which a client may send faster than real time; `started` may follow a little later than its sound. */
  async #stopped(at: number): Promise<void> {
    const [sound, item, { pauses }] = [this.#sound, this.#item, this.#settings]
    if (!sound || !item || !pauses) return
    this.#pausedAt = at
    await sound.track.reaches(at + (pauses.silenceMs - settleMs) * samplesPerMs)
    await sleep(this.#deps.transcription.clock, settleMs, this.#ended.signal)
    if (this.#pausedAt === at && this.#item === item && !this.#ended.signal.aborted) this.#stop(item, at)
  }

  #stop(item: Item, at: number): void {
    this.#send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: at / samplesPerMs, item_id: item.id })
    this.#end(item, Math.min(this.#sound?.track.length ?? at, at + trailSamples))
  }

  #begin(from: number): Item {
    const item = { id: `item_${randomUUID()}`, from, words: new StableWords() }
    void this.#sendPartials(item).catch((error: unknown) => this.#report(error, undefined))
    return item
  }

  #commit(): void {
    const { track } = this.#sound ?? {}
    if (!track || !this.#item || track.length - this.#item.from < minItemSamples)
      throw new ServiceError(400, 'input_audio_buffer_commit_empty', 'Nothing, or less than 100 ms, was said since the last commit.')
    this.#end(this.#item, track.length)
  }

  #clear(): void {
    this.#item = undefined
    this.#send({ type: 'input_audio_buffer.cleared' })
  }

  /** Commits an item; its transcript follows. */
  #end(item: Item, to: number): void {
    this.#item = undefined
    const sound = this.#sound?.track.read(item.from, to) ?? new Int16Array()
    this.#send({ type: 'input_audio_buffer.committed', item_id: item.id, previous_item_id: this.#lastItemId })
    const content = [{ type: 'input_audio', transcript: null }]
    this.#send({
      type: 'conversation.item.added',
      previous_item_id: this.#lastItemId,
      item: { id: item.id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content },
    })
    this.#lastItemId = item.id
    this.#transcribing = this.#transcribing.then(() => this.#sendFinal(item, sound))
  }

  async #sendFinal({ id }: Item, sound: Int16Array): Promise<void> {
    const about = { item_id: id, content_index: 0 }
    try {
      const transcript = await this.#words(sound)
      const usage = { type: 'duration', seconds: Math.ceil(sound.length / samplesPerMs / 1000) }
      this.#send({ type: 'conversation.item.input_audio_transcription.completed', ...about, transcript, usage })
    } catch (error) {
      if (this.#ended.signal.aborted) return
      if (!(error instanceof ServiceError)) this.#deps.onFault(error)
      this.#send({ type: 'conversation.item.input_audio_transcription.failed', ...about, error: shown(error).body })
    }
  }

  async #sendPartials(item: Item): Promise<void> {
    const { track } = this.#sound ?? {}
    if (!track) return
    for (let next = item.from + partialSamples; ; next = Math.max(next, track.length) + partialSamples) {
      await track.reaches(next)
      if (this.#item !== item || track.ended || this.#ended.signal.aborted) return
      const tooLong = track.length - item.from >= maxItemSamples
      if (tooLong) return this.#cut(item, track.length)
      const delta = item.words.next(await this.#words(track.read(item.from), 'glance'))
      if (delta === undefined || this.#item !== item) continue
      this.#send({ type: 'conversation.item.input_audio_transcription.delta', item_id: item.id, content_index: 0, delta })
    }
  }

  /** The rest of a long utterance is an item of its own. */
  #cut(item: Item, at: number): void {
    this.#end(item, at)
    if (this.#settings.pauses && this.#pausedAt === undefined) this.#item = this.#begin(at)
  }

  async #words(sound: Int16Array, urgency?: 'glance'): Promise<string> {
    const { languages, vocabulary } = this.#settings
    const request = { sound, options: { languages, vocabulary }, urgency, caller: this.#id }
    const heard: Segment[] = []
    for await (const segment of transcribe(this.#deps.transcription, request, this.#ended.signal)) heard.push(segment)
    return joinedText(heard)
  }

  #report(error: unknown, eventId: unknown): void {
    if (this.#ended.signal.aborted) return
    if (!(error instanceof ServiceError)) this.#deps.onFault(error)
    this.#send({ type: 'error', error: { ...shown(error).body, event_id: typeof eventId === 'string' ? eventId : null } })
  }
}

const shown = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError(500, 'internal_error', 'The service has a fault. Its log says more.')
