import type { CallFigures } from '@offhook/contract/assistant/call-figures.ts'
import type { Line } from '@offhook/contract/assistant/callers-sound.ts'
import type { Action, ActionType } from '@offhook/contract/assistant/actions.ts'
import type { ScenarioMoment, Sentence } from '@offhook/contract/assistant/scenario.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { CallRecord, actionOf, type Problem } from '@offhook/sdk/simulate/call-record.ts'
import type { Observed } from '@offhook/sdk/simulate/expectations.ts'
import type { ScenarioCall } from '@offhook/sdk/simulate/run-scenario.ts'
import type { LineSound } from '#adapters/speech/callers/line-sound.ts'
import { Quiet } from '../say/conversation.ts'
import type { TypedTalk } from '../say/typed-talk.ts'
import { type CallClock, Microphone } from './microphone.ts'
import { SoundFigures } from './sound-figures.ts'

const timeoutMs = 15_000
/** Milliseconds to wait after the end, because the result may arrive later. */
const tailMs = 1_000

/** How calls reach the service. */
export interface Service {
  /** The assistant's sound goes to `onSound`, in frames of 20 ms. */
  call(onSound: (frame: Int16Array) => void): Promise<TypedTalk>
  watch(callId: string, signal: AbortSignal): AsyncIterable<TimelineEntry>
  /** Its time is that of timelines. */
  clock: CallClock
}

/** Sound of a caller who speaks. */
export interface Spoken {
  soundOf(text: string, step: Sentence): Promise<Int16Array>
  language: string
  /** The caller's room and connection, and how they are at the beginning. */
  lineSound: LineSound
  line: Line
}

/** A call through the running service, typed, or spoken; events are read from its timeline. */
export class LiveCall implements ScenarioCall {
  turn = 0
  ended: SessionEndReason | undefined
  readonly #record = new CallRecord()
  readonly #service: Service
  readonly #spoken: Spoken | undefined
  readonly #quiet: Quiet
  readonly #sound: SoundFigures | undefined
  readonly #ended = new AbortController()
  #talk: TypedTalk | undefined
  #microphone: Microphone | undefined
  #watching: Promise<void> | undefined
  #startedAt: number | undefined
  #latestAt = 0
  #askedAt = 0
  #sounds: (() => void)[] = []
  #soundsSince: number | undefined

  constructor(service: Service, spoken?: Spoken) {
    this.#service = service
    this.#spoken = spoken
    this.#quiet = new Quiet((ms, task) => service.clock.after(ms, task))
    this.#sound = spoken && new SoundFigures((ms) => this.#record.answers(ms))
    spoken?.lineSound.set(spoken.line)
  }

  get lastedMs(): number {
    return Math.max(0, this.#latestAt - (this.#startedAt ?? this.#latestAt))
  }

  get transcript(): ScenarioMoment[] {
    return this.#record.moments
  }

  get problems(): readonly Problem[] {
    return this.#record.problems
  }

  get figures(): CallFigures {
    return this.#sound?.figures ?? { responsesMs: this.#record.responsesMs }
  }

  get observed(): Observed {
    const { question, recent, firstWordsMs } = this.#record
    const said = recent.moments.flatMap(({ by, text }) => (by === 'assistant' && text ? [text] : []))
    return { question, said, actions: recent.actions, ended: this.ended, firstWordsMs }
  }

  async start(): Promise<void> {
    const { clock } = this.#service
    const line = this.#spoken?.lineSound
    const talk = await this.#service.call((frame) => {
      this.#sound?.plays(frame, clock.now())
      line?.plays(frame)
    })
    this.#talk = talk
    if (line) this.#microphone = new Microphone({ clock, line, send: (frame) => talk.sendSound(frame) })
    const begun = Promise.withResolvers<void>()
    this.#watching = this.#watch(talk.callId, begun.resolve)
    void talk.ended.then(
      () => this.#quiet.end(),
      () => this.#quiet.end(),
    )
    await Promise.race([begun.promise, talk.ended])
  }

  async say(text: string, step: Sentence = {}): Promise<void> {
    const isBackchannel = step.interrupts === false
    const sound = await this.#spoken?.soundOf(text, step)
    const since = this.#soundsSince
    this.#asks({ text }, isBackchannel ? this.turn : this.turn + 1)
    if (isBackchannel) this.#soundsSince = since // it is still the same answer
    else this.#quiet.asked()
    if (!sound) this.#talk?.send({ type: 'text', text })
    else await Promise.race([this.#speak(text, step, sound), this.#talk?.ended.catch(() => {})])
  }

  async #speak(text: string, { into_ms: intoMs, interrupts = true, line }: Sentence, sound: Int16Array): Promise<void> {
    if (line) this.#spoken?.lineSound.set(line)
    const into = intoMs === undefined ? undefined : interrupts ? 'stop' : 'back-channel'
    const at = this.#sound?.says({ text, into, language: this.#spoken?.language ?? '' }, this.#service.clock.now())
    if (at) await this.#microphone?.says(sound, at)
  }

  async press(keys: string): Promise<void> {
    this.#asks({ action: `press (${keys})` })
    this.#quiet.asked()
    this.#talk?.send({ type: 'dtmf', digits: keys })
  }

  async wait(seconds: number): Promise<void> {
    this.#asks({ action: `wait (${seconds} s)` })
    this.#quiet.pauses()
    await this.#within(seconds * 1000, this.#talk?.ended)
  }

  async hangUp(): Promise<void> {
    if (this.ended === undefined) this.#asks({ action: 'hang_up' })
    this.#talk?.send({ type: 'hangup' })
    await this.#talk?.ended.catch(() => {})
    await this.#within(tailMs, this.#watching)
  }

  async listen(maxMs?: number): Promise<void> {
    const heard = this.#quiet.next(timeoutMs)
    if (maxMs === undefined) await heard
    else await Promise.race([heard, this.#sounding().then(() => this.#within(maxMs - (this.#now() - (this.#soundsSince ?? 0)), undefined))])
    if (this.#quiet.isOver) await this.#within(tailMs, this.#watching)
  }

  /** Releases all resources. */
  close(): void {
    this.#ended.abort()
    this.#microphone?.close()
    this.#talk?.close()
  }

  async #watch(callId: string, begin: () => void): Promise<void> {
    for await (const entry of this.#service.watch(callId, this.#ended.signal)) {
      this.#latestAt = entry.at
      this.#startedAt ??= entry.at
      this.#take(entry)
      this.#quiet.take(entry)
      if (entry.kind === 'event') begin()
      if (entry.kind === 'note' && entry.name === 'result' && this.ended !== undefined) return
    }
  }

  #take(entry: TimelineEntry): void {
    if ('turn' in entry && typeof entry.turn === 'number') this.turn = Math.max(this.turn, entry.turn)
    if (entry.kind === 'heard' && entry.final) this.#hears(entry)
    if (entry.kind === 'action') this.#acts(entry, entry.action as Action)
    if (entry.kind === 'unclear') this.#sound?.heard(undefined)
    if (entry.kind === 'filler') this.#sound?.filler(entry.text)
    if (entry.kind === 'speaks') this.#begins(entry)
    if (entry.kind === 'spoke' && entry.cutBy) this.#sound?.stopped(entry.at)
    if (entry.kind === 'spoke') this.#note('assistant', { text: entry.text ?? '(sound)', ...(!entry.completed && { cut: true }) })
    if (entry.kind === 'note') this.#acts(entry, noteOf(entry))
    if (entry.kind === 'discarded') this.#forget(entry.action as ActionType, entry.turn)
    if (entry.kind === 'problem') this.#record.problems.push({ turn: this.turn, message: entry.message })
    if (entry.kind === 'call' && entry.state === 'ended') this.#ends(entry.reason)
  }

  /** The recognised text may differ from the spoken one. */
  #hears({ at, text, typed }: TimelineEntryOf<'heard'>): void {
    this.#askedAt = at
    if (typed) return
    this.#sound?.heard(text)
    this.#note('service', { action: `heard (${text})` })
  }

  #acts({ turn, at }: { turn: number; at: number }, action: Action): void {
    this.#record.deeds.push({ turn, action })
    if (!this.#sound && (action.type === 'speak' || action.type === 'audio')) this.#record.answers(at - this.#askedAt)
    const deed = actionOf(action)
    if (deed !== undefined) this.#note('assistant', { action: deed })
  }

  #forget(type: ActionType, turn: number): void {
    const deed = this.#record.deeds.findLast((one) => one.action.type === type && one.turn === turn && !one.discarded)
    if (deed) deed.discarded = true
  }

  #begins({ at, text }: TimelineEntryOf<'speaks'>): void {
    this.#sound?.speaks(text, at)
    this.#soundsSince ??= at
    for (const go of this.#sounds.splice(0)) go()
  }

  #ends(reason: SessionEndReason | undefined): void {
    this.ended = reason ?? 'failed'
    this.#note('service', { action: `ended (${this.ended})` })
  }

  #asks(what: Pick<ScenarioMoment, 'text' | 'action'>, turn = this.turn): void {
    this.#latestAt = Math.max(this.#latestAt, this.#now())
    this.#record.asked({ atMs: this.lastedMs, turn, by: 'caller', ...what })
    this.#soundsSince = undefined
  }

  #note(by: ScenarioMoment['by'], what: Pick<ScenarioMoment, 'text' | 'action' | 'cut'>): void {
    this.#record.moments.push({ atMs: this.lastedMs, turn: this.turn, by, ...what })
  }

  #sounding(): Promise<void> {
    return this.#soundsSince === undefined ? new Promise((resolve) => this.#sounds.push(resolve)) : Promise.resolve()
  }

  async #within(ms: number, other: Promise<unknown> | undefined): Promise<void> {
    const timer = Promise.withResolvers<void>()
    const cancel = this.#service.clock.after(Math.max(0, ms), timer.resolve)
    await Promise.race([timer.promise, ...(other ? [other.catch(() => {})] : [])])
    cancel()
  }

  #now(): number {
    return Math.round(this.#service.clock.now())
  }
}

/** Converts stored notes and results back to their action. */
const noteOf = ({ name, data, turn, callId: session_id }: TimelineEntryOf<'note'>): Action =>
  name === 'result'
    ? { ...(data as object), type: 'result', session_id, turn }
    : { type: 'note', session_id, turn, name, ...(data !== undefined && { data }) }
