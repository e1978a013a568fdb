import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { callsOut } from './callee-greeting.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { CountedResult } from '#core/kernel/ports/store/session.ts'
import { mediaOf, type Media } from '#core/account/flows/check-settings.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import { Emitter, type Listeners, type Conversation } from './conversation.ts'
import { SessionEndpoint } from './endpoint/session-endpoint.ts'
import { Disclosure, type DisclosureRecord, namedBy, SessionCounts } from './write-end.ts'
import { Fallback } from './fallback.ts'
import { answeredBeforeStart } from './listening/answering-machine.ts'
import { handoverOf, languageOf, type KnownHere } from './handover.ts'
import type { AssistantDeps, SessionBefore, SessionContext } from './assistant-deps.ts'
import type { SessionLanguage } from './session-language.ts'
import { InterimWords, Previews } from './previews.ts'
import { SessionSound } from './speaking/endpoint-sound.ts'
import { Turns, type SessionEvents, type SessionWide } from './turn.ts'
import { DeadAir } from './silence/dead-air.ts'
import { SessionTimeouts } from './session-timeouts.ts'
import { keepSession } from './session-variables.ts'
import { interrupted, stateVersion, unnoted, type SessionState } from './session-state.ts'
import { ActionPerformer, type TransferFailure } from './action-performer.ts'
import { briefing } from './briefing.ts'
import { TurnStopwatch, sessionSpans, type SessionSpans } from './turn-times.ts'

/** Milliseconds to wait for delivery of the last events before session_end is sent. */
const lastWordsMs = 5_000

/** One session during its call: opens its parts, begins or resumes it, and ends it. `Turns` tells what happens in between. */
export class LiveSession {
  readonly #deps: AssistantDeps
  readonly #context: SessionContext
  readonly #endpoint: SessionEndpoint
  readonly #conversation: Conversation
  readonly #timeouts: SessionTimeouts
  readonly #performer: ActionPerformer
  readonly #fallback: Fallback
  readonly #deadAir: DeadAir
  readonly #previews: Previews
  readonly #interim: InterimWords
  readonly #stopwatch: TurnStopwatch
  readonly #spans: SessionSpans | undefined
  readonly #turns: Turns
  readonly #events = new Emitter<SessionEvents>()
  readonly #counts = new SessionCounts()
  readonly #background: BackgroundWork
  readonly #disclosure = new Disclosure()
  #stopObserving: () => void = () => {}
  /** The session_start event was sent. */
  #started = false
  #unreachable = false
  #ended = false
  readonly #language: SessionLanguage

  /** Opens the conversation on the leg and the channel to the endpoint; sends no event yet. */
  constructor(deps: AssistantDeps, context: SessionContext) {
    const { call, leg, flow, session, timeline } = context
    this.#language = languageOf(call, flow.settings)
    this.#deps = deps
    this.#context = context
    this.#background = new BackgroundWork((error) => this.#fail(error))
    this.#spans = sessionSpans(deps, { call, flow })
    this.#stopwatch = new TurnStopwatch(deps.clock, (times, said) => {
      deps.onTurn?.(call.callId, times)
      this.#counts.turn(times)
      this.#spans?.turn(times, said)
      timeline.turn(times, said.end)
    })
    const on = { leg, flow, language: this.#language, callsOut: callsOut(call), media: mediaOf(flow.settings)?.mode }
    this.#conversation = deps.openConversation({ ...on, wantsInterim: () => this.#interim.wanted }, this.#events)
    this.#endpoint = this.#openEndpoint()
    this.#interim = new InterimWords({ clock: deps.clock, session, endpoint: this.#endpoint })
    this.#timeouts = new SessionTimeouts(deps.clock, flow.settings, {
      inputMissing: (asked) => this.#endpoint.notify({ type: 'user_input_timeout', session }, asked),
      stillThere: () => this.#deadAir.nobodySpeaks(),
      timeUp: (reason) => call.hangUp(reason),
    })
    this.#performer = new ActionPerformer({
      clock: deps.clock,
      call,
      leg,
      conversation: this.#conversation,
      timeouts: this.#timeouts,
      endpoint: this.#endpoint,
      brief: briefing(deps, context, this.#language.own),
      onTransferFailed: (target, cause) => this.#notTaken(target, cause),
      onFailure: (error) => this.#report(error),
    })
    this.#deadAir = new DeadAir({
      clock: deps.clock,
      context,
      conversation: this.#conversation,
      language: this.#language,
      endpoint: this.#endpoint,
      timeouts: this.#timeouts,
      isAttentive: () => this.#isAttentive,
      isOver: () => this.#ended,
      isEnding: () => this.#performer.ends !== undefined,
      onMute: () => this.#events.emit('mute'),
      onFailure: (error) => this.#report(error),
    })
    this.#fallback = this.#openFallback()
    this.#previews = new Previews({
      clock: deps.clock,
      session,
      endpoint: this.#endpoint,
      conversation: this.#conversation,
      perform: (actions, replied) => this.#events.emit('confirmed', actions, replied),
    })
    this.#turns = this.#openTurns()
    this.#listen()
    void call.over.then(() => (this.#ended = true))
  }

  /** Resolves when a transfer was answered and the caller is connected to its target. */
  get transferred(): Promise<'transferred'> {
    return this.#performer.transferred
  }

  #observe(): void {
    const { call, leg } = this.#context
    const stops = [
      leg.observe({
        dtmf: (digit) => {
          if (!call.asksForConsent) this.#events.emit('pressed', digit)
        },
      }),
      call.observe((waits) => {
        this.#deadAir.held = waits
        if (waits) this.#timeouts.pause()
        else this.#timeouts.resume()
      }),
      // A user of the account transfers the caller.
      call.observeTransfers((to, outcome) => this.#background.start(() => this.#performer.awaitTransfer(to, () => outcome).then(() => {}))),
    ]
    this.#stopObserving = () => stops.forEach((stop) => stop())
    call.beforeHandOver(() => this.#stopSpeaking())
    call.beforeTransfer((summary) => handoverOf(this.#context, this.#known, summary))
  }

  get #known(): KnownHere {
    return { session: this.session, language: this.#language.now, disclosure: this.#disclosure, heard: this.#turns.heard }
  }

  async #stopSpeaking(): Promise<void> {
    await this.#performer.finishedSpeaking()
    this.#previews.settle()
    this.#changed()
    await this.#deps.states?.flush()
  }

  /** Sends the session_start event. */
  async begin(): Promise<void> {
    const { call, flow, session } = this.#context
    this.#observe()
    this.#timeouts.start()
    const { transferredFrom } = call
    const detection = call.direction === 'outbound' && !transferredFrom ? flow.settings.answeringMachineDetection : undefined
    const answeredBy = detection === 'field' ? await answeredBeforeStart(this.#deps.clock, this.#conversation, call.over) : undefined
    if (this.#ended) return
    this.#started = true
    this.#spans?.begins()
    const before = transferredFrom && { transferred_from: transferredFrom }
    this.#endpoint.notify({ type: 'session_start', session, ...(answeredBy && { answered_by: answeredBy }), ...this.#media, ...before })
    if (this.#unreachable) this.#fallback.leave()
    if (detection === 'event') this.#background.start(() => this.#detectMachine())
  }

  /** Resumes after a takeover. Interrupted speech is reported as far as it was heard and not repeated; the caller's unfinished words are lost. */
  resume({ startedAt, aliveAt, state = unnoted(startedAt, aliveAt) }: SessionBefore): void {
    const { session } = this.#context
    const { speaks, listening, language, timeouts, ends } = state
    this.#observe()
    this.#timeouts.start({ startedAt, saved: timeouts })
    this.#started = true
    this.#endpoint.resume(state)
    this.#turns.resume(listening)
    if (listening) this.#listenAs(listening, state.latest)
    if (state.pausesRecording) this.#performer.pauseRecording(true)
    this.#language.resume(language)
    this.#disclosure.resume(state.disclosure)
    if (speaks) this.#turns.spoke(interrupted(speaks, aliveAt))
    this.#endpoint.notify({
      type: 'session_resumed',
      session,
      sequence: state.sequence,
      lost_ms: Math.max(0, Math.round(this.#deps.clock.now() - aliveAt)),
      ...(speaks && { interrupted_event_id: speaks.eventId }),
      ...this.#media,
    })
    if (ends) this.#background.start(() => this.#performer.perform(ends.actions, ends.replied))
    else if (speaks) this.#timeouts.quiet()
    if (this.#unreachable) this.#fallback.leave()
    this.#changed()
  }

  get #media(): { media?: Media } {
    const media = mediaOf(this.#context.flow.settings)
    return media ? { media } : {}
  }

  #listenAs(listening: NonNullable<SessionState['listening']>, eventId: string): void {
    const { expects, expects_digits: _, expects_options: __, stream_id: ___, ...input } = listening
    this.#conversation.configure({ type: 'configure_transcription', session_id: this.#context.session.id, ...input }, eventId)
    if (expects) this.#conversation.expect(listening)
  }

  /** As contained in the next event. */
  get session(): Session {
    return this.#endpoint.session
  }

  get state(): SessionState {
    return {
      version: stateVersion,
      ...this.#endpoint.saved,
      speaks: this.#turns.speaks,
      listening: this.#turns.listening,
      language: this.#language.now,
      timeouts: this.#timeouts.saved,
      disclosure: this.#disclosure.saved,
      ends: this.#performer.ends,
      ...(this.#performer.pausesRecording && { pausesRecording: true }),
    }
  }

  #changed(): void {
    if (this.#started && !this.#ended) this.#deps.states?.changed(this.#context.session.id, () => this.state)
  }

  /** Stops speaking and sends the last events. Returns the session_end event, which goes through the outbox. */
  async end(reason: SessionEndReason): Promise<OutgoingEvent | undefined> {
    const { clock, closing } = this.#deps
    if (this.#performer.pausesRecording) this.#attempt(() => this.#performer.pauseRecording(false))
    this.#attempt(() => this.#conversation.interrupt()) // reports the current speech as far as it was heard
    await this.#stop()
    const notified = this.#background.done().then(() => this.#endpoint.finish())
    await atMost(clock, lastWordsMs, notified, undefined, closing)
    return this.#endpoint.end(reason)
  }

  counted(session: Omit<Parameters<SessionCounts['counted']>[0], 'transferredTo'>): CountedResult {
    return { ...this.#counts.counted({ ...session, transferredTo: this.#performer.transferredTo }), ...namedBy(this.session) }
  }

  /** Whether the caller heard the disclosure; undefined if there was none. */
  disclosed(reason: SessionEndReason): DisclosureRecord | undefined {
    return this.#disclosure.record(reason)
  }

  /** Another process takes over: sends the endpoint no further events. */
  async abandon(): Promise<void> {
    this.#endpoint.abandon()
    await this.#stop()
    await this.close()
  }

  async #stop(): Promise<void> {
    this.#ended = true
    this.#attempt(this.#stopObserving)
    this.#timeouts.stop()
    this.#deadAir.stop()
    this.#performer.stop()
    this.#previews.close()
    this.#turns.stop()
    this.#stopwatch.stop()
    this.#spans?.ends()
    await this.#conversation.close().catch((error: unknown) => this.#report(error))
  }

  close(): Promise<void> {
    return this.#endpoint.close().catch((error: unknown) => this.#report(error))
  }

  #openEndpoint(): SessionEndpoint {
    const { clock, endpoints, silence } = this.#deps
    const { call, flow, session, timeline } = this.#context
    try {
      return new SessionEndpoint({ clock, endpoints, silence, flow, session, timeline, trace: call.trace, events: this.#events })
    } catch (error) {
      this.#background.start(() => this.#conversation.close())
      throw error
    }
  }

  #openFallback(): Fallback {
    const { call, flow } = this.#context
    return new Fallback({
      clock: this.#deps.clock,
      call,
      flow,
      performer: this.#performer,
      say: (text, own, options) => this.#deadAir.say(text, own, options),
      start: (work) => this.#background.start(work),
    })
  }

  #openTurns(): Turns {
    const { flow } = this.#context
    const sound = new SessionSound({
      conversation: this.#conversation,
      endpoint: this.#endpoint,
      timeouts: this.#timeouts,
      performer: this.#performer,
      isAttentive: () => this.#isAttentive,
      isHeld: () => this.#deadAir.held,
      answered: () => this.#stopwatch.answered(),
    })
    return new Turns({
      clock: this.#deps.clock,
      events: this.#events,
      context: this.#context,
      endpoint: this.#endpoint,
      timeouts: this.#timeouts,
      performer: this.#performer,
      fallback: this.#fallback,
      deadAir: this.#deadAir,
      previews: this.#previews,
      interim: this.#interim,
      sound,
      stopwatch: this.#stopwatch,
      spans: this.#spans,
      disclosure: this.#disclosure,
      counts: this.#counts,
      wordless: mediaOf(flow.settings)?.mode === 'audio',
      hasStarted: () => this.#started,
      isAttentive: () => this.#isAttentive,
      start: (work) => this.#background.start(work),
    })
  }

  /** What concerns the session as a whole. */
  #listen(): void {
    const { accountId } = this.#context.call
    const of = { callId: this.#context.session.id, accountId, flowId: this.#context.flow.id }
    const listeners: Required<Listeners<Pick<SessionEvents, SessionWide>>> = {
      result: (result) => this.#deps.onResult?.(of, result),
      noted: (name, data, turn) => {
        this.#spans?.noted(name, data, turn)
        if (this.#context.flow.settings.endpoint === 'assistant') this.#deps.onNote?.(name, data)
      },
      variablesSet: () => this.#background.start(() => keepSession(this.#deps, this.session)),
      endpointLost: () => {
        this.#unreachable = true
        this.#deadAir.stop()
        if (this.#started) this.#fallback.leave()
      },
      lost: (error) => this.#notListening(error),
      failed: (error) => this.#report(error),
      changed: () => this.#changed(),
    }
    this.#events.listen(listeners)
  }

  /** True if the caller's words are for the assistant and it can respond. */
  get #isAttentive(): boolean {
    return this.#started && !this.#ended && !this.#performer.transferring && !this.#fallback.leaving
  }

  /** Informs the caller if the endpoint does not take transfer_failed events. A forbidden target is reported to the endpoint in any case. */
  #notTaken(target: string, cause: TransferFailure): void {
    if (this.#fallback.leaving) return // the call ends next
    if (!this.#endpoint.wants('transfer_failed')) this.#deadAir.say(undefined, ({ noAnswer: noAnswerText }) => noAnswerText)
    this.#endpoint.notify({ type: 'transfer_failed', session: this.#context.session, target, cause }, cause === 'forbidden')
  }

  async #detectMachine(): Promise<void> {
    const result = await this.#conversation.detectMachine()
    if (!this.#ended) this.#endpoint.notify({ type: 'machine_detected', session: this.#context.session, result })
  }

  /** The caller can no longer be heard but can still hear the fallback. */
  #notListening(error: unknown): void {
    this.#report(error)
    this.#deadAir.stop()
    if (this.#started && !this.#ended) this.#fallback.leave('service_failure')
    else this.#context.call.hangUp('service_failure')
  }

  #fail(error: unknown): void {
    this.#report(error)
    this.#context.call.hangUp('service_failure')
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#deps.onFailure(error, this.#context.call.callId)
  }
}
