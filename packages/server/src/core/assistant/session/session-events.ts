import type { audioClearReasons } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SessionEndpoint } from './endpoint/session-endpoint.ts'
import { assistantSpeak, assistantSpeechEnded, userSpeak } from './endpoint/session-events.ts'
import type { Disclosure } from './disclosure.ts'
import type { DeadAir } from './silence/dead-air.ts'
import type { ActionPerformer } from './action-performer.ts'
import type { Previews } from './preview/previews.ts'
import type { Fallback } from './fallback.ts'
import { InterimWords } from './interim/interim-words.ts'
import type { SessionCounts } from './session-counts.ts'
import type { SessionContext } from './session-context.ts'
import type { SessionTimeouts } from './session-timeouts.ts'
import type { SessionState } from './state/session-state.ts'
import type { ConversationObserver, ConversationProblem, Making, Preview, Said, Spoken, Stall } from './conversation/conversation.ts'
import type { SessionSound } from './media/session-sound.ts'
import type { TurnStopwatch } from './conversation/turn-times.ts'
import type { SessionSpans } from './trace/session-spans.ts'

/** Who has to know what happens. */
export interface SessionListeners {
  endpoint: SessionEndpoint
  timeouts: SessionTimeouts
  performer: ActionPerformer
  fallback: Fallback
  deadAir: DeadAir
  previews: Previews
  sound: SessionSound
}

export interface SessionNewsDeps {
  clock: Clock
  context: Pick<SessionContext, 'session' | 'timeline'>
  stopwatch: TurnStopwatch
  spans: SessionSpans | undefined
  disclosure: Disclosure
  counts: SessionCounts
  /** Nobody recognises what the caller says: a voice is all there is. */
  wordless: boolean
  /** They are made after the conversation that tells us, and there before it tells anything. */
  listeners: () => SessionListeners
  /** Between session_start and session_end. */
  isOpen: () => boolean
  /** Another process that goes on needs to know something else than before. */
  changed: () => void
  /** The caller cannot be heard any more. */
  deaf: (error: Error) => void
}

/** Turns what happens on the leg into events, timeline entries and timeouts. */
export class SessionEvents implements ConversationObserver {
  readonly #deps: SessionNewsDeps
  /** What the caller says while it is said. */
  readonly interim: InterimWords
  #speaks: SessionState['speaks']

  constructor(deps: SessionNewsDeps) {
    this.#deps = deps
    this.interim = new InterimWords({
      clock: deps.clock,
      session: deps.context.session,
      endpoint: () => deps.listeners().endpoint,
    })
  }

  /** What sounds. */
  get speaks(): SessionState['speaks'] {
    return this.#speaks
  }

  /** What the caller says is meant for the assistant, and the assistant can respond. */
  get attentive(): boolean {
    const { listeners, isOpen } = this.#deps
    return isOpen() && !listeners().performer.transferring && !listeners().fallback.leaving
  }

  voice(speaks: boolean, at: number, sample: number): void {
    this.#deps.context.timeline.voice(speaks, at, sample)
  }

  understood(text: string, heeded: boolean): void {
    const { context, listeners } = this.#deps
    if (!this.attentive) return
    context.timeline.understood(listeners().endpoint.turn + 1, text)
    if (heeded) this.interim.understood(text)
  }

  speechStarted(): void {
    const { context, listeners } = this.#deps
    listeners().timeouts.callerBegins()
    this.interim.begins()
    const { sound, endpoint } = listeners()
    const played = sound.playedMs !== undefined && { played_ms: sound.playedMs }
    if (this.attentive) endpoint.notify({ type: 'user_speech_started', session: context.session, ...played })
  }

  falseAlarm(voiceMs: number): void {
    const { wordless } = this.#deps
    const { timeouts, performer, deadAir } = this.#deps.listeners()
    if (wordless) timeouts.callerActs()
    else timeouts.falseAlarm()
    performer.changed()
    if (this.attentive && !wordless) deadAir.unclear.voice(voiceMs)
  }

  backchannel(text: string): void {
    const { context, listeners } = this.#deps
    this.falseAlarm(0)
    if (!this.attentive) return
    context.timeline.backchannel(text)
    listeners().endpoint.notify({ type: 'user_backchannel', session: context.session, text })
  }

  ducked(ducked: boolean): void {
    this.#deps.context.timeline.ducked(ducked)
  }

  said(said: Said): void {
    const { context, listeners, stopwatch } = this.#deps
    const { timeouts, endpoint, performer, deadAir, previews } = listeners()
    timeouts.callerActs()
    if (!this.attentive) return
    if (deadAir.unclear.takes(said)) return performer.changed()
    previews.settle()
    endpoint.nextTurn()
    context.timeline.said(endpoint.turn, said)
    performer.changed()
    stopwatch.said(endpoint.turn, said)
    deadAir.tells(said, () =>
      previews.said(said.text, (previewed) => endpoint.notify(userSpeak(context.session, said, endpoint.knowsMore, previewed))),
    )
  }

  previewed(preview: Preview): void {
    if (this.attentive) this.#deps.listeners().previews.begin(preview)
  }

  tookBack(): void {
    this.#deps.listeners().previews.takeBack()
  }

  pressed(digit: string): void {
    const { context, listeners } = this.#deps
    const { timeouts, endpoint, performer } = listeners()
    timeouts.callerActs()
    performer.keyPressed()
    context.timeline.pressed(digit)
    if (this.attentive) endpoint.notify({ type: 'dtmf_received', session: context.session, digit })
  }

  sounds(begun: NonNullable<SessionState['speaks']>, making?: Making): void {
    const { context, stopwatch, spans, listeners, changed } = this.#deps
    stopwatch.sounded(begun.startedAt)
    spans?.sounds(listeners().endpoint.turnOf(begun.eventId), begun.startedAt, making)
    context.timeline.speaks(begun)
    listeners().deadAir.unsaid.heard()
    this.#speaks = begun
    changed()
  }

  spoke(spoken: Spoken): void {
    const { context, listeners, stopwatch, counts } = this.#deps
    const { session, timeline } = context
    counts.spoke(spoken)
    const { endpoint, performer } = listeners()
    this.#speaks = undefined
    timeline.spoke(spoken)
    stopwatch.sounded(spoken.startedAt)
    performer.spoke(spoken)
    this.#deps.disclosure.spoke(spoken, performer.transferring)
    endpoint.notify(assistantSpeak(session, spoken, endpoint.knowsMore))
    endpoint.notify(assistantSpeechEnded(session, spoken))
  }

  unsaid(): void {
    this.#deps.listeners().deadAir.unsaid.add()
  }

  stalled(stall: Stall): void {
    this.#deps.listeners().deadAir.stalled(stall)
  }

  quiet(): void {
    const { performer, deadAir } = this.#deps.listeners()
    deadAir.quiet()
    performer.changed()
  }

  discarded({ eventId, action }: { eventId: string; action: 'speak' | 'audio' }): void {
    this.#deps.listeners().endpoint.discarded(action, { eventId }, 'superseded')
  }

  problem({ eventId, message }: ConversationProblem): void {
    this.#deps.listeners().endpoint.note(eventId, { index: -1, message })
  }

  heardSound(samples: Int16Array<ArrayBuffer>): void {
    this.#deps.listeners().sound.heard(samples)
  }

  soundPlayed(name: string, playedMs: number): void {
    const { context, listeners } = this.#deps
    listeners().endpoint.notify({ type: 'audio_played', session: context.session, name, played_ms: playedMs })
  }

  soundCleared(playedMs: number, reason: (typeof audioClearReasons)[number]): void {
    const { context, listeners } = this.#deps
    listeners().endpoint.notify({ type: 'audio_cleared', session: context.session, played_ms: playedMs, reason })
  }

  beep(): void {
    const { context, listeners } = this.#deps
    listeners().endpoint.notify({ type: 'machine_detected', session: context.session, result: 'beep' })
  }

  lost(error: Error): void {
    this.#deps.deaf(error)
  }
}
