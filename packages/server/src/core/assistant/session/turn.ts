import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { audioClearReasons, AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { EndpointPiece } from '#core/kernel/ports/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SpokenWord } from '#core/kernel/ports/speech.ts'
import { isProtected, type ActionPerformer } from './action-performer.ts'
import type { SessionContext } from './assistant-deps.ts'
import type { ConversationEvents, ConversationProblem, Making, Preview, Said, Spoken, Stall, Emitter, Listeners } from './conversation.ts'
import type { RepliedEvent } from './endpoint/event-queue.ts'
import type { EndpointEvents } from './endpoint/endpoint-events.ts'
import type { SessionEndpoint } from './endpoint/session-endpoint.ts'
import { CalleeGreeting } from './callee-greeting.ts'
import type { Fallback } from './fallback.ts'
import type { InterimWords, Previews } from './previews.ts'
import { listeningAfter, type SessionState } from './session-state.ts'
import type { SessionTimeouts } from './session-timeouts.ts'
import type { DeadAir } from './silence/dead-air.ts'
import { HeardLines } from './handover.ts'
import type { SessionSound } from './speaking/endpoint-sound.ts'
import type { SessionSpans, TurnStopwatch } from './turn-times.ts'
import type { Disclosure, SessionCounts } from './write-end.ts'

/** Everything that happens in a session: on the caller's side, at the endpoint, and between the two. */
export interface SessionEvents extends ConversationEvents, EndpointEvents {
  /** The caller pressed a key. */
  pressed: [digit: string]
  /** The caller finished as previewed: the held answer is to be performed. */
  confirmed: [actions: readonly Action[], replied: RepliedEvent]
  /** No voice can speak to the caller. */
  mute: []
}

/** Events that concern the session as a whole; `Turns` listens to all others. */
export type SessionWide = 'result' | 'noted' | 'variablesSet' | 'lost' | 'endpointLost' | 'failed' | 'changed'

interface TurnsDeps {
  clock: Clock
  events: Emitter<SessionEvents>
  context: Pick<SessionContext, 'session' | 'timeline'>
  endpoint: SessionEndpoint
  timeouts: SessionTimeouts
  performer: ActionPerformer
  fallback: Fallback
  deadAir: DeadAir
  previews: Previews
  /** Partial transcripts of the caller's speech. */
  interim: InterimWords
  sound: SessionSound
  stopwatch: TurnStopwatch
  spans: SessionSpans | undefined
  disclosure: Disclosure
  counts: SessionCounts
  /** No speech recognition: only a voice is reported. */
  wordless: boolean
  /** The session_start event was sent. */
  hasStarted: () => boolean
  /** True if the caller's words are for the assistant and it can respond. */
  isAttentive: () => boolean
  /** Starts work in the background. */
  start: (work: () => Promise<void>) => void
}

/** The turns of a session, in the order of events: the caller speaks, the endpoint gets the words, replies, and its reply is played. */
export class Turns implements Required<Listeners<Omit<SessionEvents, SessionWide>>> {
  /** For an assistant that gets the caller. */
  readonly heard = new HeardLines()
  readonly #deps: TurnsDeps
  readonly #calleeGreeting: CalleeGreeting
  #speaks: SessionState['speaks']
  #listening: SessionState['listening']

  constructor(deps: TurnsDeps) {
    const { clock, endpoint } = deps
    this.#deps = deps
    this.#calleeGreeting = new CalleeGreeting({ clock, duplex: () => endpoint.duplex, release: (said) => this.#tell(said) })
    deps.events.listen(this)
  }

  /** Current speech. */
  get speaks(): SessionState['speaks'] {
    return this.#speaks
  }

  /** The endpoint's recogniser settings. */
  get listening(): SessionState['listening'] {
    return this.#listening
  }

  stop(): void {
    this.#calleeGreeting.stop()
  }

  /** Resumes after a takeover. */
  resume(listening: SessionState['listening']): void {
    this.#calleeGreeting.stop()
    this.#listening = listening
  }

  // The caller speaks.

  voice(speaks: boolean, at: number, sample: number): void {
    this.#deps.context.timeline.voice(speaks, at, sample)
  }

  ducked(ducked: boolean): void {
    this.#deps.context.timeline.ducked(ducked)
  }

  speechStarted(): void {
    const { context, timeouts, interim, sound, endpoint, isAttentive } = this.#deps
    timeouts.callerBegins()
    interim.begins()
    const played = sound.playedMs !== undefined && { played_ms: sound.playedMs }
    if (isAttentive()) endpoint.notify({ type: 'user_speech_started', session: context.session, ...played })
  }

  understood(text: string, heeded: boolean): void {
    const { context, endpoint, interim, isAttentive } = this.#deps
    if (!isAttentive()) return
    context.timeline.understood(endpoint.turn + 1, text)
    if (heeded) interim.understood(text)
  }

  previewed(preview: Preview): void {
    if (this.#deps.isAttentive()) this.#deps.previews.begin(preview)
  }

  tookBack(): void {
    this.#deps.previews.takeBack()
  }

  falseAlarm(voiceMs: number): void {
    const { wordless, timeouts, performer, deadAir, isAttentive } = this.#deps
    if (wordless) timeouts.callerActs()
    else timeouts.falseAlarm()
    performer.changed()
    if (isAttentive() && !wordless) deadAir.unclear.voice(voiceMs)
  }

  backchannel(text: string): void {
    const { context, endpoint, isAttentive } = this.#deps
    this.falseAlarm(0)
    if (!isAttentive()) return
    context.timeline.backchannel(text)
    endpoint.notify({ type: 'user_backchannel', session: context.session, text })
  }

  pressed(digit: string): void {
    const { context, timeouts, endpoint, performer, isAttentive } = this.#deps
    timeouts.callerActs()
    performer.keyPressed()
    context.timeline.pressed(digit)
    if (isAttentive()) endpoint.notify({ type: 'dtmf_received', session: context.session, digit })
  }

  /** An answering machine begins to record. */
  beep(): void {
    const { context, endpoint } = this.#deps
    endpoint.notify({ type: 'machine_detected', session: context.session, result: 'beep' })
  }

  heardSound(samples: Int16Array<ArrayBuffer>): void {
    this.#deps.sound.heard(samples)
  }

  // The caller has spoken: the endpoint gets the turn.

  said(said: Said): void {
    const { context, timeouts, performer, deadAir, isAttentive } = this.#deps
    timeouts.callerActs()
    if (!isAttentive()) return performer.changed() // a goodbye or transfer waits for the end of the turn
    if (!this.#calleeGreeting.holds(said)) return deadAir.unclear.takes(said) ? performer.changed() : this.#tell(said)
    context.timeline.backchannel(said.text)
    performer.changed()
  }

  #tell(said: Said): void {
    const { context, endpoint, performer, deadAir, previews, stopwatch, isAttentive } = this.#deps
    if (!isAttentive()) return
    previews.settle()
    endpoint.nextTurn()
    context.timeline.said(endpoint.turn, said)
    if (!context.timeline.concealed) this.heard.said(said)
    performer.changed()
    stopwatch.said(endpoint.turn, said)
    deadAir.tells(said, () =>
      previews.said(said.text, (previewed) => endpoint.notify(userSpeak(context.session, said, endpoint.knowsMore, previewed))),
    )
  }

  turnSent(): void {
    this.#deps.stopwatch.sent()
  }

  awaiting(): void {
    this.#deps.deadAir.awaits()
  }

  // The endpoint replies, or does not.

  settled(): void {
    this.#deps.deadAir.settled()
  }

  turnReplied(): void {
    this.#deps.stopwatch.answered()
    this.#deps.fallback.turnReplied()
  }

  turnFailed(): void {
    this.#deps.fallback.turnFailed()
  }

  transferUntold(): void {
    this.#deps.deadAir.say(undefined, ({ noAnswer: noAnswerText }) => noAnswerText)
  }

  previewReplied(token: string, actions: readonly Action[], replied: RepliedEvent): void {
    this.#deps.previews.replied(token, actions, replied)
  }

  asked(actions: readonly Action[], replied: RepliedEvent): void {
    this.#calleeGreeting.replied(actions)
    this.confirmed(this.#deps.previews.sort(actions, replied), replied)
  }

  confirmed(actions: readonly Action[], replied: RepliedEvent): void {
    const { fallback, stopwatch, spans, disclosure, performer, hasStarted, start } = this.#deps
    if (actions.length === 0 || !hasStarted() || fallback.leaving) return
    stopwatch.answered()
    spans?.answered()
    for (const action of actions) this.#listening = listeningAfter(this.#listening, action)
    if (actions.some((action) => isProtected(action) && (action.turn ?? replied.turn) === 0)) disclosure.wanted()
    start(() => performer.perform(actions, replied))
  }

  endpointSound(piece: EndpointPiece): void {
    this.#deps.sound.comes(piece)
  }

  // The reply is played.

  sounds(begun: NonNullable<SessionState['speaks']>, making?: Making): void {
    const { events, context, stopwatch, spans, endpoint, deadAir } = this.#deps
    stopwatch.sounded(begun.startedAt)
    spans?.sounds(endpoint.turnOf(begun.eventId), begun.startedAt, making)
    context.timeline.speaks(begun)
    deadAir.unsaid.heard()
    this.#speaks = begun
    events.emit('changed')
  }

  stalled(stall: Stall): void {
    this.#deps.deadAir.stalled(stall)
  }

  spoke(spoken: Spoken): void {
    const { context, endpoint, performer, stopwatch, counts, disclosure } = this.#deps
    const { session, timeline } = context
    counts.spoke(spoken)
    this.#speaks = undefined
    timeline.spoke(spoken)
    stopwatch.sounded(spoken.startedAt)
    performer.spoke(spoken)
    disclosure.spoke(spoken, performer.transferring)
    if (!timeline.concealed) this.heard.spoke(spoken)
    endpoint.notify(assistantSpeak(session, spoken, endpoint.knowsMore))
    endpoint.notify(assistantSpeechEnded(session, spoken))
  }

  soundPlayed(name: string, playedMs: number): void {
    const { context, endpoint } = this.#deps
    endpoint.notify({ type: 'audio_played', session: context.session, name, played_ms: playedMs })
  }

  soundCleared(playedMs: number, reason: (typeof audioClearReasons)[number]): void {
    const { context, endpoint } = this.#deps
    endpoint.notify({ type: 'audio_cleared', session: context.session, played_ms: playedMs, reason })
  }

  unsaid(): void {
    this.#deps.deadAir.unsaid.add()
  }

  discarded({ eventId, action }: { eventId: string; action: 'speak' | 'audio' }): void {
    this.#deps.endpoint.discarded(action, { eventId }, 'superseded')
  }

  problem({ eventId, message }: ConversationProblem): void {
    this.#deps.endpoint.note(eventId, { index: -1, message })
  }

  quiet(): void {
    this.#deps.deadAir.quiet()
    this.#deps.performer.changed()
  }

  mute(): void {
    this.#deps.fallback.leave('service_failure')
  }
}

/** `knowsMore`: the endpoint supports more than the oldest version of the interface. */
export const userSpeak = (session: Session, said: Said, knowsMore: boolean, previewed = false): AssistantEvent => {
  const { text, bargedIn, heardText, heardMs, language, confidence, words } = said
  return {
    type: 'user_speak',
    session,
    text,
    barged_in: bargedIn,
    ...(heardText !== undefined && { heard_text: heardText }),
    ...(heardMs !== undefined && { heard_ms: heardMs }),
    ...(knowsMore && {
      ...(language !== undefined && { language }),
      ...(confidence !== undefined && { confidence }),
      ...(words && { words: words.map(spokenWord) }),
    }),
    ...(previewed && { previewed }),
  }
}

const spokenWord = ({ text, startMs, endMs, confidence }: SpokenWord) => ({
  text,
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
  ...(confidence !== undefined && { confidence }),
})

const assistantSpeak = (session: Session, spoken: Spoken, knowsMore: boolean): AssistantEvent => {
  const { text, ssml, durationMs, startedAt, completed, heardText } = spoken
  return {
    type: 'assistant_speak',
    session,
    ...(text !== undefined && { text }),
    ...(ssml !== undefined && { ssml }),
    duration_ms: durationMs,
    speech_started_at: startedAt,
    ...(knowsMore && {
      ...(!completed && heardText !== undefined && { heard_text: heardText }),
      ...streamOf(spoken),
    }),
  }
}

const assistantSpeechEnded = (session: Session, spoken: Spoken): AssistantEvent => ({
  type: 'assistant_speech_ended',
  session,
  completed: spoken.completed,
  heard_ms: spoken.heardMs,
  ...streamOf(spoken),
})

const streamOf = ({ streamId }: Spoken) => streamId !== undefined && { stream_id: streamId }
