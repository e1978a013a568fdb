import type { Action, ActionType } from '@offhook/contract/assistant/actions.ts'
import type { ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { CallRecord, actionOf, type Problem } from '@offhook/sdk/simulate/call-record.ts'
import type { Observed } from '@offhook/sdk/simulate/expectations.ts'
import type { ScenarioCall } from '@offhook/sdk/simulate/run-scenario.ts'
import { watchTimeline } from '@offhook/sdk/watch-timeline.ts'
import type { Connection } from '../connection/connection.ts'
import { Quiet } from '../say/conversation.ts'
import { openTalk, type TalkRequest, type TypedTalk } from '../say/typed-talk.ts'
import { talkFrameBytes, talkSampleRate } from '@offhook/contract/v3/talks.ts'

const timeoutMs = 15_000
/** Milliseconds to wait after the end, because the result may arrive later. */
const tailMs = 1_000

/** Audio of the caller's words. */
export type SoundOf = (text: string) => Promise<Int16Array>

/** A call through the running service, typed, or spoken with `soundOf`; events are read from its timeline. */
export class LiveCall implements ScenarioCall {
  turn = 0
  ended: SessionEndReason | undefined
  readonly #record = new CallRecord()
  readonly #connection: Connection
  readonly #flowId: string
  readonly #input: TalkRequest
  readonly #soundOf: SoundOf | undefined
  readonly #quiet = new Quiet()
  readonly #ended = new AbortController()
  #talk: TypedTalk | undefined
  #microphone: Microphone | undefined
  #watching: Promise<void> | undefined
  #startedAt: number | undefined
  #latestAt = 0
  #askedAt = 0
  #sounds: (() => void)[] = []
  #soundsSince: number | undefined

  constructor(connection: Connection, flowId: string, input: TalkRequest, soundOf?: SoundOf) {
    this.#connection = connection
    this.#flowId = flowId
    this.#input = soundOf ? { ...input, audio: true } : input
    this.#soundOf = soundOf
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

  get observed(): Observed {
    const { question, recent, firstWordsMs } = this.#record
    const said = recent.moments.flatMap(({ by, text }) => (by === 'assistant' && text ? [text] : []))
    return { question, said, actions: recent.actions, ended: this.ended, firstWordsMs }
  }

  async start(): Promise<void> {
    const talk = await openTalk(this.#connection, this.#flowId, () => {}, this.#input)
    this.#talk = talk
    if (this.#soundOf) this.#microphone = new Microphone((frame) => talk.sendSound(frame))
    const begun = Promise.withResolvers<void>()
    this.#watching = this.#watch(talk.callId, begun.resolve)
    void talk.ended.then(
      () => this.#quiet.end(),
      () => this.#quiet.end(),
    )
    await Promise.race([begun.promise, talk.ended])
  }

  async say(text: string): Promise<void> {
    const sound = await this.#soundOf?.(text)
    this.#asks({ text }, this.turn + 1)
    this.#quiet.asked()
    if (!sound) this.#talk?.send({ type: 'text', text })
    else await Promise.race([this.#microphone?.says(sound), this.#talk?.ended.catch(() => {})])
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
    else await Promise.race([heard, this.#sounding().then(() => this.#within(maxMs - (Date.now() - (this.#soundsSince ?? 0)), undefined))])
    if (this.#quiet.isOver) await this.#within(tailMs, this.#watching)
  }

  /** Releases all resources. */
  close(): void {
    this.#ended.abort()
    this.#microphone?.close()
    this.#talk?.close()
  }

  async #watch(callId: string, begin: () => void): Promise<void> {
    const { baseUrl, token } = this.#connection
    for await (const entry of watchTimeline({ baseUrl, token, callId, signal: this.#ended.signal })) {
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
    if (entry.kind === 'speaks') this.#begins(entry.at)
    if (entry.kind === 'spoke') this.#note('assistant', { text: entry.text ?? '(sound)', ...(!entry.completed && { cut: true }) })
    if (entry.kind === 'note') this.#acts(entry, noteOf(entry))
    if (entry.kind === 'discarded') this.#forget(entry.action as ActionType, entry.turn)
    if (entry.kind === 'problem') this.#record.problems.push({ turn: this.turn, message: entry.message })
    if (entry.kind === 'call' && entry.state === 'ended') this.#ends(entry.reason)
  }

  /** The recognised text may differ from the spoken one. */
  #hears({ at, text, typed }: TimelineEntryOf<'heard'>): void {
    this.#askedAt = at
    if (!typed) this.#note('service', { action: `heard (${text})` })
  }

  #acts({ turn, at }: { turn: number; at: number }, action: Action): void {
    this.#record.deeds.push({ turn, action })
    if (action.type === 'speak' || action.type === 'audio') this.#record.firstWordsMs ??= at - this.#askedAt
    const deed = actionOf(action)
    if (deed !== undefined) this.#note('assistant', { action: deed })
  }

  #forget(type: ActionType, turn: number): void {
    const deed = this.#record.deeds.findLast((one) => one.action.type === type && one.turn === turn && !one.discarded)
    if (deed) deed.discarded = true
  }

  #begins(at: number): void {
    this.#soundsSince ??= at
    for (const go of this.#sounds.splice(0)) go()
  }

  #ends(reason: SessionEndReason | undefined): void {
    this.ended = reason ?? 'failed'
    this.#note('service', { action: `ended (${this.ended})` })
  }

  #asks(what: Pick<ScenarioMoment, 'text' | 'action'>, turn = this.turn): void {
    this.#latestAt = Math.max(this.#latestAt, Date.now())
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
    const handle = setTimeout(timer.resolve, Math.max(0, ms))
    await Promise.race([timer.promise, ...(other ? [other.catch(() => {})] : [])])
    clearTimeout(handle)
  }
}

/** Converts stored notes and results back to their action. */
const noteOf = ({ name, data, turn, callId: session_id }: TimelineEntryOf<'note'>): Action =>
  name === 'result'
    ? { ...(data as object), type: 'result', session_id, turn }
    : { type: 'note', session_id, turn, name, ...(data !== undefined && { data }) }

const frameSamples = talkFrameBytes / 2
const frameMs = (1000 * frameSamples) / talkSampleRate
const silence = new Int16Array(frameSamples)

/** Sends audio in real time, as a browser does: speech, and silence around it. */
class Microphone {
  readonly #send: (frame: Int16Array<ArrayBuffer>) => void
  readonly #timer: NodeJS.Timeout
  #sound = new Int16Array()
  #said: () => void = () => {}

  constructor(send: (frame: Int16Array<ArrayBuffer>) => void) {
    this.#send = send
    const startedAt = performance.now()
    let frames = 0
    this.#timer = setInterval(() => {
      // A late timer catches up.
      for (const due = (performance.now() - startedAt) / frameMs; frames < due; frames++) this.#next()
    }, frameMs / 2)
  }

  /** Resolves when all of it is sent, or at the end. */
  says(sound: Int16Array): Promise<void> {
    this.#sound = Int16Array.from(sound)
    return new Promise((resolve) => (this.#said = resolve))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#said()
  }

  #next(): void {
    const frame = this.#sound.length === 0 ? silence : new Int16Array(frameSamples)
    frame.set(this.#sound.subarray(0, frameSamples))
    this.#sound = this.#sound.subarray(frameSamples)
    this.#send(frame)
    if (this.#sound.length === 0) this.#said()
  }
}
