import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { CountedResult } from '#core/kernel/ports/store/assistant/results.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { mediaOf, type Media } from '#core/account/flows/flow-media.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import type { RepliedEvent } from './endpoint/event-queue.ts'
import { SessionEndpoint, type SessionEndpointObserver } from './endpoint/session-endpoint.ts'
import { Disclosure, type DisclosureRecord } from './disclosure.ts'
import { Fallback, type FallbackDeps } from './fallback.ts'
import type { AssistantDeps } from './assistant-parts.ts'
import { SessionLanguage } from './language/session-language.ts'
import type { SessionBefore, SessionContext } from './session-context.ts'
import { Previews } from './preview/previews.ts'
import { SessionCounts } from './session-counts.ts'
import { SessionSound } from './media/session-sound.ts'
import { SessionEvents } from './session-events.ts'
import { DeadAir } from './silence/dead-air.ts'
import { SessionTimeouts } from './session-timeouts.ts'
import { interrupted, listeningAfter, stateVersion, unnoted, type SessionState } from './state/session-state.ts'
import { ActionPerformer, isProtected, type TransferFailure } from './action-performer.ts'
import { briefing } from './briefing/brief.ts'
import type { AnsweredBy, Conversation } from './conversation/conversation.ts'
import { TurnStopwatch } from './conversation/turn-times.ts'
import { sessionSpans, type SessionSpans } from './trace/session-spans.ts'

/** How long to wait for answering-machine detection before the session starts. */
const detectionMs = 10_000
/** How long to wait for the endpoint to receive the last events before the end of the session is sent. */
const lastWordsMs = 5_000

/** One session while its call lasts: what the caller does becomes events for the endpoint, and the endpoint's actions are performed. */
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
  readonly #stopwatch: TurnStopwatch
  readonly #spans: SessionSpans | undefined
  readonly #news: SessionEvents
  readonly #sound: SessionSound
  readonly #counts = new SessionCounts()
  readonly #background: BackgroundWork
  readonly #disclosure = new Disclosure()
  #stopObserving: () => void = () => {}
  /** The session_start event was sent. */
  #started = false
  #unreachable = false
  #ended = false
  readonly #language: SessionLanguage
  /** What the endpoint wants of the recogniser. */
  #listening: SessionState['listening']

  /** Opens the conversation on the leg and the channel to the endpoint; no event is sent yet. */
  constructor(deps: AssistantDeps, context: SessionContext) {
    const { call, leg, flow, session, timeline } = context
    this.#language = new SessionLanguage(flow.settings.language ?? call.language, flow.settings.stt?.languages)
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
    this.#news = this.#openEvents()
    const wantsInterim = (): boolean => this.#news.interim.wanted
    const media = mediaOf(flow.settings)?.mode
    this.#conversation = deps.openConversation({ leg, flow, language: this.#language, wantsInterim, media }, this.#news)
    this.#endpoint = this.#openEndpoint()
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
      isAttentive: () => this.#news.attentive,
      isOver: () => this.#ended,
      isEnding: () => this.#performer.ends !== undefined,
      onMute: () => this.#fallback.leave('service_failure'),
      onFailure: (error) => this.#report(error),
    })
    const say: FallbackDeps['say'] = (text, own) => this.#deadAir.say(text, own)
    this.#fallback = new Fallback({ call, flow, performer: this.#performer, say, start: (work) => this.#background.start(work) })
    this.#previews = new Previews({
      clock: deps.clock,
      session,
      endpoint: this.#endpoint,
      conversation: this.#conversation,
      perform: (actions, replied) => this.#act(actions, replied),
    })
    this.#sound = this.#openSound()
    void call.over.then(() => (this.#ended = true))
  }

  /** Resolves when a transfer was taken: the caller is connected to its target. */
  get transferred(): Promise<'transferred'> {
    return this.#performer.transferred
  }

  #observe(): void {
    const { call, leg } = this.#context
    const stops = [
      leg.observe({ dtmf: (digit) => this.#news.pressed(digit) }),
      call.observe((waits) => {
        this.#deadAir.held = waits
        if (waits) this.#timeouts.pause()
        else this.#timeouts.resume()
      }),
      call.observeTransfers((to, outcome) => this.#handedOver(to, outcome)),
    ]
    this.#stopObserving = () => stops.forEach((stop) => stop())
    call.beforeHandOver(() => this.#stopSpeaking())
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
    const detection = call.direction === 'outbound' ? flow.settings.answeringMachineDetection : undefined
    const answeredBy = detection === 'field' ? await this.#answeredBy() : undefined
    if (this.#ended) return
    this.#started = true
    this.#spans?.begins()
    this.#endpoint.notify({ type: 'session_start', session, ...(answeredBy && { answered_by: answeredBy }), ...this.#media })
    if (this.#unreachable) this.#fallback.leave()
    if (detection === 'event') this.#background.start(() => this.#detectMachine())
  }

  /**
   * Goes on where another process was. What was being said is told as far as it was heard, and not said again; what the caller was saying is
   * lost.
   */
  resume({ startedAt, aliveAt, state = unnoted(startedAt, aliveAt) }: SessionBefore): void {
    const { session } = this.#context
    const { speaks, listening, language, timeouts, ends } = state
    this.#observe()
    this.#timeouts.start({ startedAt, saved: timeouts })
    this.#started = true
    this.#endpoint.resume(state)
    this.#listening = listening
    if (listening) this.#listenAs(listening, state.latest)
    this.#language.resume(language)
    this.#disclosure.resume(state.disclosure)
    if (speaks) this.#news.spoke(interrupted(speaks, aliveAt))
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
    const { expects, expects_digits: _, stream_id: __, ...input } = listening
    this.#conversation.configure({ type: 'configure_transcription', session_id: this.#context.session.id, ...input }, eventId)
    if (expects) this.#conversation.expect(listening)
  }

  /** How another process can go on with it. */
  get state(): SessionState {
    return {
      version: stateVersion,
      ...this.#endpoint.saved,
      speaks: this.#news.speaks,
      listening: this.#listening,
      language: this.#language.now,
      timeouts: this.#timeouts.saved,
      disclosure: this.#disclosure.saved,
      ends: this.#performer.ends,
    }
  }

  #changed(): void {
    if (this.#started && !this.#ended) this.#deps.states?.changed(this.#context.session.id, () => this.state)
  }

  /** Stops speaking and sends the last events. Returns the session_end event, which goes through the outbox. */
  async end(reason: SessionEndReason): Promise<OutgoingEvent | undefined> {
    const { clock, closing } = this.#deps
    this.#attempt(() => this.#conversation.interrupt()) // what was being said is told as far as it was heard
    await this.#stop()
    const notified = this.#background.done().then(() => this.#endpoint.finish())
    await atMost(clock, lastWordsMs, notified, undefined, closing)
    return this.#endpoint.end(reason)
  }

  counted(session: Omit<Parameters<SessionCounts['counted']>[0], 'transferredTo'>): CountedResult {
    return this.#counts.counted({ ...session, transferredTo: this.#performer.transferredTo })
  }

  /** Whether the caller has heard what had to be said first; undefined: there was nothing like that. */
  disclosed(reason: SessionEndReason): DisclosureRecord | undefined {
    return this.#disclosure.record(reason)
  }

  /** Another process goes on with it: the endpoint hears nothing more from this one. */
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
    this.#stopwatch.stop()
    this.#spans?.ends()
    await this.#conversation.close().catch((error: unknown) => this.#report(error))
  }

  close(): Promise<void> {
    return this.#endpoint.close().catch((error: unknown) => this.#report(error))
  }

  #openEndpoint(): SessionEndpoint {
    const { clock, endpoints } = this.#deps
    const { call, flow, session, timeline } = this.#context
    try {
      return new SessionEndpoint({ clock, endpoints, flow, session, timeline, trace: call.trace, observer: this.#endpointObserver() })
    } catch (error) {
      this.#background.start(() => this.#conversation.close())
      throw error
    }
  }

  #openSound(): SessionSound {
    return new SessionSound({
      conversation: this.#conversation,
      endpoint: this.#endpoint,
      timeouts: this.#timeouts,
      performer: this.#performer,
      isAttentive: () => this.#news.attentive,
      isHeld: () => this.#deadAir.held,
      answered: () => this.#stopwatch.answered(),
    })
  }

  #openEvents(): SessionEvents {
    return new SessionEvents({
      wordless: mediaOf(this.#context.flow.settings)?.mode === 'audio',
      context: this.#context,
      stopwatch: this.#stopwatch,
      spans: this.#spans,
      disclosure: this.#disclosure,
      counts: this.#counts,
      listeners: () => ({
        endpoint: this.#endpoint,
        timeouts: this.#timeouts,
        performer: this.#performer,
        fallback: this.#fallback,
        deadAir: this.#deadAir,
        previews: this.#previews,
        sound: this.#sound,
      }),
      clock: this.#deps.clock,
      isOpen: () => this.#started && !this.#ended,
      changed: () => this.#changed(),
      deaf: (error) => this.#notListening(error),
    })
  }

  #act(actions: readonly Action[], replied: RepliedEvent): void {
    if (actions.length === 0 || !this.#started || this.#fallback.leaving) return
    this.#stopwatch.answered()
    this.#spans?.answered()
    for (const action of actions) this.#listening = listeningAfter(this.#listening, action)
    if (actions.some((action) => isProtected(action) && (action.turn ?? replied.turn) === 0)) this.#disclosure.wanted()
    this.#background.start(() => this.#performer.perform(actions, replied))
  }

  /** Performs what the endpoint asks for, and falls back when it cannot be reached. */
  #endpointObserver(): SessionEndpointObserver {
    const { callId, accountId } = this.#context.call
    const of = { callId, accountId, flowId: this.#context.flow.id }
    return {
      asks: (actions, replied) => this.#act(this.#previews.sort(actions, replied), replied),
      sounds: (piece) => this.#sound.comes(piece),
      onEvent: (result) => this.#deps.onResult?.(of, result),
      previewReplied: (...reply) => this.#previews.replied(...reply),
      awaits: () => this.#deadAir.awaits(),
      settled: () => this.#deadAir.settled(),
      transferUntold: () => this.#deadAir.say(undefined, ({ nobodyThere: noAnswerText }) => noAnswerText),
      turnSent: () => this.#stopwatch.sent(),
      turnReplied: () => {
        this.#stopwatch.answered()
        this.#fallback.turnReplied()
      },
      turnFailed: () => this.#fallback.turnFailed(),
      lost: () => {
        this.#unreachable = true
        this.#deadAir.stop()
        if (this.#started) this.#fallback.leave()
      },
      failure: (error) => this.#report(error),
      changed: () => this.#changed(),
    }
  }

  /** A user of the account transfers the caller. */
  #handedOver(target: string, outcome: Promise<'taken' | Cause>): void {
    this.#background.start(async () => void (await this.#performer.awaitTransfer(target, () => outcome)))
  }

  /**
   * The caller is told by us if the endpoint does not take transfer_failed events. That a target is forbidden the endpoint is told in any
   * case.
   */
  #notTaken(target: string, cause: TransferFailure): void {
    if (this.#fallback.leaving) return // the call is over next
    if (!this.#endpoint.wants('transfer_failed')) this.#deadAir.say(undefined, ({ nobodyThere: noAnswerText }) => noAnswerText)
    this.#endpoint.notify({ type: 'transfer_failed', session: this.#context.session, target, cause }, cause === 'forbidden')
  }

  #answeredBy(): Promise<AnsweredBy> {
    const over = this.#context.call.over.then((): AnsweredBy => 'unknown')
    return atMost(this.#deps.clock, detectionMs, Promise.race([this.#conversation.detectMachine(), over]), 'unknown')
  }

  async #detectMachine(): Promise<void> {
    const result = await this.#conversation.detectMachine()
    if (!this.#ended) this.#endpoint.notify({ type: 'machine_detected', session: this.#context.session, result })
  }

  /** The caller cannot be heard any more, but can still be told so. */
  #notListening(error: unknown): void {
    this.#report(error)
    this.#deadAir.stop()
    if (this.#started && !this.#ended) this.#fallback.leave('service_failure')
    else this.#context.call.hangUp('service_failure')
  }

  /** A fault of the service: the session cannot go on. */
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
