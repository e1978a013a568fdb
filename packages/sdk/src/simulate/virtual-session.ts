import { actions, type Action, type ActionOf } from '@offhook/contract/assistant/actions.ts'
import { bargeInRule, type BargeInRule, type BargeInWish } from '@offhook/contract/assistant/barge-in.ts'
import type { ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { areTooLarge, givenVariables, mergeVariables } from '@offhook/contract/assistant/variables.ts'
import { CallRecord, actionOf, type Deed } from './call-record.ts'
import { EndpointLine, type EndpointConnection, type SentEvent } from './endpoint-line.ts'
import { Playout, type PlayoutObserver, type Speech } from './playout.ts'
import type { VirtualClock } from './virtual-clock.ts'

interface VirtualSessionDeps {
  clock: VirtualClock
  session: Session
  msPerCharacter: number
  /** Barge-in setting of the flow. */
  bargeIn: BargeInWish
  /** Reason why the transfer fails; undefined: it succeeds. */
  transfer: (target: string) => string | undefined
  timeoutMs: number
  silentMs: number
  /** Milliseconds clock for answer times. */
  time: () => number
  connect: (send: (frame: string) => void, leave: (error?: Error) => void) => EndpointConnection
}

/** Events to which the caller expects an answer. */
const awaited: readonly SentEvent['type'][] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']
/** Consecutive turns without a readable answer before the service takes over the call. */
const maxFailures = 3
/** The caller is heard but cannot interrupt. */
const noBargeIn: BargeInRule = { strategy: 'manual', minimumCharacters: 0, allowAfterMs: 0 }

type End = ActionOf<'hangup' | 'transfer'>

/** Simulates the service between a caller and an endpoint, in conversation time. */
export class VirtualSession {
  readonly record = new CallRecord()
  readonly playout: Playout
  readonly line: EndpointLine
  turn = 0
  ended: SessionEndReason | undefined
  /** Seconds that the caller may stay silent; set by the last speech. */
  inputSeconds: number | undefined
  readonly #deps: VirtualSessionDeps
  readonly #started: number
  readonly #cutStreams = new Set<string>()
  /** Transcript entry of the current speech. */
  #sounding: ScenarioMoment | undefined
  #askedAt = 0
  /** A hang-up or transfer that waits until everything was heard. */
  #end: (Deed & { action: End }) | undefined
  #spokenTurn: number | undefined
  /** The last speech expects an answer from the caller. */
  #expects = false
  #failures = 0

  constructor(deps: VirtualSessionDeps) {
    const { clock, msPerCharacter, session, timeoutMs, silentMs, connect } = deps
    this.#deps = deps
    this.#started = clock.elapsed()
    this.playout = new Playout({ clock, msPerCharacter, observer: this.#listener() })
    const acts = (list: readonly Action[] | undefined, frame: string): void =>
      list ? list.forEach((action) => this.#act(action)) : this.#failed(frame)
    this.line = new EndpointLine({ session, timeoutMs, silentMs, acts }, connect)
  }

  /** Milliseconds since the start, in conversation time. */
  get lastedMs(): number {
    return Math.round(this.#deps.clock.elapsed() - this.#started)
  }

  /** Heard speech of the assistant since the caller's last step. */
  get said(): string[] {
    const texts = this.record.recent.moments.flatMap((moment) => {
      if (moment.by !== 'assistant' || moment.action !== undefined) return []
      return [moment === this.#sounding ? this.playout.heardText : (moment.text ?? '')]
    })
    return texts.filter((text) => text !== '')
  }

  /** The assistant asked a question and has finished speaking. */
  get asks(): boolean {
    return !this.playout.speaking && (this.#expects || (this.said.at(-1)?.endsWith('?') ?? false))
  }

  note(by: ScenarioMoment['by'], what: Pick<ScenarioMoment, 'text' | 'action'>): ScenarioMoment {
    const moment: ScenarioMoment = { atMs: this.lastedMs, turn: this.turn, by, ...what }
    this.record.moments.push(moment)
    return moment
  }

  notify(event: SentEvent): void {
    this.line.notify(this.turn, event)
  }

  /** Sends the caller's step to the endpoint. */
  ask(event: SentEvent): void {
    this.#expects = false
    this.#askedAt = this.#deps.time()
    this.line.asks(this.turn, event, awaited.includes(event.type))
  }

  /** Stops the current and queued speeches that match; they are not continued. */
  cut(unwanted: (speech: Speech) => boolean): void {
    this.playout.drop((speech) => {
      if (!unwanted(speech)) return false
      if (speech.streamId !== undefined && !speech.complete) this.#cutStreams.add(speech.streamId)
      return true
    })
  }

  /** The caller has spoken: answers to earlier words are too late. */
  nextTurn(): void {
    this.turn += 1
    if (!this.playout.speaking) this.#leaveIfWanted()
  }

  /** After a key press the call may end without playing the rest. */
  keyPressed(): void {
    this.#spokenTurn = undefined
  }

  finish(reason: SessionEndReason): void {
    if (this.ended !== undefined) return
    this.cut(() => true) // reports the heard part of the current speech
    this.ended = reason
    this.#end = undefined
    this.note('service', { action: `ended (${reason})` })
    this.line.asks(this.turn, { type: 'session_end', reason }, false)
  }

  #act(action: Action): void {
    const deed: Deed = { turn: action.turn ?? this.turn, action }
    const { turn } = deed
    this.record.deeds.push(deed)
    if (!(action.type in actions)) return void this.record.problems.push({ turn, message: `there is no action “${action.type}”` })
    if (action.type === 'done') return this.#done(turn)
    if (action.type === 'set_variables') return this.#setVariables(action)
    const late = this.#tooLate(action, turn)
    if (late) return this.#discard(deed, late)
    if (action.type === 'hangup' || action.type === 'transfer') {
      this.#end = Object.assign(deed, { action })
      return this.#mustWait(action, turn) ? undefined : this.#leaveIfWanted()
    }
    this.#mention(action)
    if (action.type === 'speak' || action.type === 'audio') this.#speak(action, turn)
    if (action.type === 'barge_in') this.cut(({ protect }) => !protect)
  }

  /** A late `done` does not complete the answer to a later event: to the caller's next words, or to the end of the call. */
  #done(turn: number): void {
    if (turn >= this.turn && this.ended === undefined) this.line.done()
  }

  #setVariables({ variables: changes }: ActionOf<'set_variables'>): void {
    const { variables, ...session } = this.line.session
    const merged = mergeVariables(variables, changes)
    if (areTooLarge(merged)) this.record.problems.push({ turn: this.turn, message: 'the variables are too large together' })
    else this.line.session = { ...session, ...givenVariables(merged) }
  }

  #mention(action: Action): void {
    const deed = actionOf(action)
    if (deed !== undefined) this.note('assistant', { action: deed })
  }

  #discard(deed: Deed, reason: 'ended' | 'superseded'): void {
    deed.discarded = true
    this.notify({ type: 'action_discarded', action: deed.action.type, turn: deed.turn, reason })
  }

  #tooLate(action: Action, turn: number): 'ended' | 'superseded' | undefined {
    if (action.type === 'note' || action.type === 'result') return undefined
    if (this.ended !== undefined) return 'ended'
    const isSpoken = action.type === 'speak' || action.type === 'audio'
    if (turn < this.turn && action.type !== 'recording' && !(action.type === 'speak' && action.protect)) return 'superseded'
    if (!this.#end || !isSpoken) return undefined
    const goesOn = action.type === 'speak' && action.stream_id !== undefined && this.playout.isStreaming(action.stream_id)
    return goesOn ? undefined : 'ended'
  }

  #speak(action: ActionOf<'speak' | 'audio'>, turn: number): void {
    this.#failures = 0
    this.#spokenTurn = Math.max(turn, this.#spokenTurn ?? 0)
    this.#expects = action.type === 'speak' && (action.expects !== undefined || (this.#expects && action.stream_id !== undefined))
    this.record.answers(this.#deps.time() - this.#askedAt)
    if (action.user_input_timeout_seconds !== undefined || action.type === 'audio' || action.stream_id === undefined)
      this.inputSeconds = action.user_input_timeout_seconds
    const rule = bargeInRule(action.barge_in, this.#deps.bargeIn)
    if (action.type === 'audio') {
      const soundMs = Math.round((action.audio.length * 0.75) / 16)
      return this.playout.add({
        action: 'audio',
        turn,
        streamId: undefined,
        rule,
        protect: false,
        text: '(sound)',
        soundMs,
        complete: true,
      })
    }
    const { stream_id: streamId, protect = false } = action
    const text = action.text ?? (action.ssml ?? '').replace(/<[^>]*>/g, ' ')
    const complete = streamId === undefined || action.last !== false
    if (streamId !== undefined && this.#cutStreams.has(streamId)) return
    if (streamId !== undefined && this.playout.isStreaming(streamId)) return this.playout.extend(streamId, text, complete)
    const rules = { rule: protect ? noBargeIn : rule, protect }
    this.playout.add({ action: 'speak', turn, streamId, text, soundMs: undefined, complete, ...rules })
  }

  /** Waits until everything said in the same turn was heard; an interrupted assistant must not leave while the caller speaks. */
  #mustWait({ now }: End, turn: number): boolean {
    const { speaking, callerSpeaks, protects } = this.playout
    return now !== true && (speaking || callerSpeaks) && (this.#spokenTurn === turn || protects)
  }

  #leaveIfWanted(): void {
    const end = this.#end
    if (!end || this.playout.callerSpeaks) return
    this.#end = undefined
    if (end.turn >= this.turn) this.#leave(end.action)
    else this.#discard(end, 'superseded')
  }

  #leave(action: End): void {
    this.#mention(action)
    if (action.type === 'hangup') return this.finish('assistant_hangup')
    const cause = this.#deps.transfer(action.target)
    if (cause === undefined) return this.finish('transferred')
    this.ask({ type: 'transfer_failed', target: action.target, cause })
  }

  /** The caller hears a retry phrase. An endpoint that fails on the first answer, or repeatedly, is not asked again. */
  #failed(frame: string): void {
    this.record.problems.push({ turn: this.turn, message: `the answer could not be read: ${frame.slice(0, 200)}` })
    this.note('service', { action: 'retry' })
    this.line.done()
    this.#failures += 1
    if (this.turn === 0 || this.#failures >= maxFailures) this.finish('endpoint_unavailable')
  }

  #listener(): PlayoutObserver {
    return {
      began: () => {
        this.#sounding = this.note('assistant', { text: '' })
      },
      ended: (speech, heard) => this.#heard(speech, heard),
      dropped: ({ action, turn }) => this.notify({ type: 'action_discarded', action, turn, reason: 'superseded' }),
      quiet: () => this.#leaveIfWanted(),
    }
  }

  #heard(speech: Speech, { completed, ms, text }: { completed: boolean; ms: number; text: string }): void {
    const heard_ms = Math.round(ms)
    if (this.#sounding) Object.assign(this.#sounding, { text }, !completed && { cut: true })
    this.#sounding = undefined
    const stream = speech.streamId !== undefined && { stream_id: speech.streamId }
    const started = Math.round(this.#deps.clock.now() - ms)
    const words = { text: speech.text.trim(), ...(!completed && { heard_text: text }) }
    this.notify({ type: 'assistant_speak', duration_ms: heard_ms, speech_started_at: started, ...words, ...stream })
    this.notify({ type: 'assistant_speech_ended', completed, heard_ms, ...stream })
  }
}
