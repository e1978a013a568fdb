import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { defaultEndOfTurnSilenceMs } from '../ears/complete-words.ts'
import { readCustomerWav } from '../mouth/fetch-sound.ts'
import { Floor } from './floor.ts'
import { Hearing } from '../ears/hearing.ts'
import { MachineWatch } from '../ears/machine-watch.ts'
import { SpeechMaking } from '../mouth/speech-making.ts'
import type { SpeechRun } from '../mouth/speech-run.ts'
import type { AnsweredBy, Talk, TalkObserver, TalkParts } from '../talk/talk.ts'

type SttWish = { provider?: string | undefined; languages?: readonly string[] | undefined; vocabulary?: readonly string[] | undefined }

/** So many speeches wait at most: a customer may send them faster than anybody can speak. */
const mostWaiting = 64

/** Begins to listen; says nothing by itself. */
export const openTalk = (parts: TalkParts, observer: TalkObserver): Talk => new LiveTalk(parts, observer)

class LiveTalk implements Talk {
  readonly #parts: TalkParts
  readonly #observer: TalkObserver
  readonly #making: SpeechMaking
  readonly #floor: Floor
  readonly #hearing: Hearing
  readonly #stopObserving: () => void
  #stt: SttWish
  /** The event whose answer chose the recogniser. */
  #configuredBy: string | undefined
  #machine: MachineWatch | undefined
  /** The caller's words may end a speech. */
  #mayInterrupt = false
  #hasBackground = false
  #closed = false

  constructor(parts: TalkParts, observer: TalkObserver) {
    const { settings } = parts.flow
    this.#parts = parts
    this.#observer = observer
    this.#stopObserving = this.#readTyped(parts.leg)
    this.#making = new SpeechMaking(parts, (eventId, message) => this.#problem(eventId, message))
    this.#floor = new Floor({
      clock: parts.clock,
      observer,
      ended: (run) => this.#ended(run),
      voiced: () => this.#hearing.voiced,
      follow: (wanted) => this.#follow(wanted),
    })
    this.#hearing = new Hearing(parts, settings.endOfTurnSilenceMs ?? defaultEndOfTurnSilenceMs, {
      began: (goesOn) => this.#floor.began(goesOn),
      understood: (text, agoMs) => {
        this.#machine?.understood(text)
        this.#floor.understood(text, agoMs)
        observer.understood?.(text)
      },
      ended: (turn) => this.#floor.ended(turn),
      voice: (speaks, at) => {
        this.#machine?.voice(speaks, at)
        observer.voice?.(speaks, at)
      },
      beep: () => this.#beep(),
      problem: (message) => this.#problem(this.#configuredBy, message),
      lost: (error) => this.#later(() => this.#observer.lost(error)),
    })
    this.#stt = settings.stt ?? {}
    this.#recognise()
  }

  get speaking(): boolean {
    return this.#floor.voice.speaking
  }

  get callerSpeaks(): boolean {
    return this.#hearing.callerSpeaks
  }

  say(action: ActionOf<'speak'>, eventId: string): void {
    if (this.#closed) return
    this.#setSilence(action.vad?.end_of_turn_silence_ms)
    const run = this.#making.speak(action, eventId)
    if (run) this.#add(run)
  }

  play(action: ActionOf<'audio'>, eventId: string): void {
    if (!this.#closed) this.#add(this.#making.audio(action, eventId))
  }

  interrupt(): void {
    if (!this.#closed) this.#floor.voice.interrupt()
  }

  configure(action: ActionOf<'configure_transcription'>, eventId: string): void {
    if (this.#closed) return
    this.#setSilence(action.vad?.end_of_turn_silence_ms)
    const { provider, languages, custom_vocabulary: vocabulary } = action
    if (provider === undefined && languages === undefined && vocabulary === undefined) return
    this.#configuredBy = eventId
    const own = this.#parts.flow.settings.stt ?? {}
    this.#stt = {
      provider: provider ?? this.#stt.provider,
      languages: languages ?? own.languages,
      vocabulary: vocabulary ?? this.#stt.vocabulary,
    }
    this.#recognise()
  }

  background(action: ActionOf<'mix_audio'>, eventId: string): void {
    if (this.#closed) return
    try {
      const wav = action.stop ? undefined : readCustomerWav(action.audio ?? '').file
      this.#hasBackground = wav !== undefined
      this.#parts.leg.audio.background(wav && { wav }, action.volume ?? 0.5)
    } catch (error) {
      this.#making.refuse(error, eventId)
    }
  }

  detectMachine(): Promise<AnsweredBy> {
    if (this.#closed) return Promise.resolve('unknown')
    this.#machine = new MachineWatch(this.#parts.clock)
    this.#follow()
    void this.#machine.result.then(() => this.#follow())
    return this.#machine.result
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopObserving()
    this.#machine?.close()
    if (this.#hasBackground) this.#parts.leg.audio.background(undefined, 0)
    await Promise.all([this.#floor.close(), this.#hearing.close()])
  }

  /** One that is broken cannot be listened to either, which is told there. */
  #readTyped(leg: TalkParts['leg']): () => void {
    try {
      return leg.observe({ typed: (text) => this.#typed(text) })
    } catch {
      return () => {}
    }
  }

  #typed(text: string): void {
    const words = text.trim()
    if (words !== '' && !this.#closed) this.#floor.typed(words)
  }

  #add(run: SpeechRun): void {
    if (this.#floor.voice.waiting < mostWaiting) {
      void run.line.begun.then((startedAt) => this.#begun(run, startedAt))
      return this.#floor.add(run)
    }
    run.stop()
    this.#problem(run.order.eventId, `not done: ${mostWaiting} others wait to be heard already`)
  }

  #begun({ order }: SpeechRun, startedAt: number): void {
    if (!this.#closed) this.#observer.sounds?.({ eventId: order.eventId, ...order.written(), startedAt })
  }

  /** Until it is changed again. */
  #setSilence(ms: number | undefined): void {
    if (ms !== undefined) this.#hearing.silenceMs = ms
  }

  #recognise(): void {
    const { provider, languages, vocabulary } = this.#stt
    const own = this.#parts.flow.settings.stt?.provider
    const wanted = [provider, own].filter((name) => name !== undefined)
    this.#hearing.recogniseWith(wanted, { languages: languages ?? [this.#parts.language], vocabulary: vocabulary ?? [] })
  }

  /** Whatever became of a speech is told: it sounded, or could not, or was dropped before. */
  #ended(run: SpeechRun): void {
    const { eventId, action } = run.order
    if (run.failure) this.#problem(eventId, `could not be played (${run.failure.message})`)
    const spoken = run.spoken()
    if (spoken) this.#observer.spoke(spoken)
    else if (run.dropped) this.#observer.discarded({ eventId, action })
  }

  /** Words are of interest before the turn is over when they may end a speech, or tell who answered. */
  #follow(mayInterrupt = this.#mayInterrupt): void {
    this.#mayInterrupt = mayInterrupt
    this.#hearing.follow(mayInterrupt || this.#machine?.decided === false)
  }

  /** Only whoever asked who answered wants to know. */
  #beep(): void {
    if (this.#machine?.beep()) this.#observer.beep()
  }

  #problem(eventId: string | undefined, message: string): void {
    this.#later(() => this.#observer.problem({ eventId, message }))
  }

  /** Not while somebody is calling us. */
  #later(tell: () => void): void {
    queueMicrotask(() => {
      if (!this.#closed) tell()
    })
  }
}
