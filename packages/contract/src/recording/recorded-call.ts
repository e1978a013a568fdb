import type { AgentNotes } from '../v3/agent-notes.ts'
import type { TimelineEntry, TimelineEntryOf } from '../v2/timeline.ts'
import type { RecordedTool, ScenarioStep } from '../assistant/scenario.ts'
import type { Session, SessionEndReason } from '../assistant/session.ts'

/** One action of the caller and the reactions until the next one. */
export interface Beat {
  /** Undefined: the beginning of the call. */
  step?: Exclude<ScenarioStep, { expect: unknown } | { judge: unknown } | { caller: unknown }>
  turn: number
  /** As far as it was heard. */
  said: { text: string; cut: boolean }[]
  /** Short form: hangup, transfer (p0), send_dtmf (1), tool (book). */
  deeds: string[]
}

/** The replayable part of a call. */
export interface RecordedCall {
  beats: Beat[]
  session: Partial<Session>
  language?: string
  tools: RecordedTool[]
  /** End reason of the session, as reported to the endpoint. */
  ended?: SessionEndReason
}

/** Speaking rate of people and voices where there is no audio. */
export const charactersPerSecond = 15

const eventOf = <T extends object>({ body }: TimelineEntryOf<'event'>): Partial<T> => Object(body) as Partial<T>

/** Reads a timeline as a conversation: the caller's actions and the endpoint's reactions. Omits the service's own phrases. */
export const recordedCall = (entries: readonly TimelineEntry[]): RecordedCall | undefined => {
  const start = entries.find((entry) => entry.kind === 'event' && entry.type === 'session_start')
  if (start?.kind !== 'event') return undefined
  const recording = new Recording(entries)
  for (const entry of entries) if (recording.isOver || !recording.take(entry)) break
  const { session = {} } = eventOf<{ session: Partial<Session> }>(start)
  const language = languageOf(entries)
  return { ...untilTransfer(recording.call), session, ...(language !== undefined && { language }) }
}

/** Removes everything after a failed or abandoned transfer: without a telephone every transfer succeeds, so it cannot be replayed. */
const untilTransfer = ({ beats, tools, ended }: Recording['call']): Recording['call'] => {
  const last = beats.findIndex(({ deeds }) => deeds.some((deed) => deed.startsWith('transfer (')))
  if (last < 0 || ended === 'transferred') return { beats, tools, ...(ended !== undefined && { ended }) }
  return { beats: beats.slice(0, last + 1), tools }
}

const languageOf = (entries: readonly TimelineEntry[]): string | undefined => {
  for (const entry of entries) {
    if (entry.kind !== 'event' || entry.type !== 'user_speak') continue
    const { language } = eventOf<{ language: string }>(entry)
    if (language !== undefined) return language
  }
  return undefined
}

type Speech = TimelineEntryOf<'spoke'>

/** State while reading one call. */
class Recording {
  readonly call: Pick<RecordedCall, 'beats' | 'tools' | 'ended'> = { beats: [{ turn: 0, said: [], deeds: [] }], tools: [] }
  isOver = false
  readonly #spoken: Map<number, Speech>
  readonly #discarded: Set<string>
  readonly #own: (text: string) => boolean
  /** When the caller or the assistant was last heard. */
  #quietSince: number

  constructor(entries: readonly TimelineEntry[]) {
    const speeches = entries.filter((entry): entry is Speech => entry.kind === 'spoke')
    this.#spoken = new Map(speeches.map((speech) => [speech.startedAt, speech]))
    this.#discarded = new Set(entries.flatMap((entry) => (entry.kind === 'discarded' ? [`${entry.eventId} ${entry.action}`] : [])))
    this.#own = ownTextsOf(entries)
    this.#quietSince = entries[0]?.at ?? 0
  }

  /** Returns false if the rest cannot be replayed. */
  take(entry: TimelineEntry): boolean {
    if (entry.kind === 'event') return this.#told(entry)
    if (entry.kind === 'speaks') this.#speaks(this.#spoken.get(entry.at))
    if (entry.kind === 'spoke') this.#speaks(entry)
    if (entry.kind === 'action') this.#acts(entry)
    if (entry.kind === 'note' && entry.name === 'tool') this.#usesTool(entry)
    if (entry.kind === 'heard' && entry.final) this.#quietSince = entry.at
    return true
  }

  get #beat(): Beat {
    return this.call.beats.at(-1) as Beat
  }

  #told(event: TimelineEntryOf<'event'>): boolean {
    if (event.type === 'user_speak') this.#says(event)
    if (event.type === 'dtmf_received') this.#presses(event)
    if (event.type === 'user_input_timeout') this.#begin({ wait_seconds: Math.ceil((event.at - this.#quietSince) / 100) / 10 }, event.turn)
    if (event.type === 'session_end') this.#ends(event)
    // A call continues after a failed transfer; without a telephone every transfer succeeds.
    return event.type !== 'transfer_failed'
  }

  #begin(step: NonNullable<Beat['step']>, turn: number): void {
    this.call.beats.push({ step, turn, said: [], deeds: [] })
  }

  #says(event: TimelineEntryOf<'event'>): void {
    const { text = '', barged_in: isInterruption } = eventOf<{ text: string; barged_in: boolean }>(event)
    if (text === '') return
    const into = isInterruption ? { into_ms: this.#heardMs() } : undefined
    this.#begin({ say: text.slice(0, 2000), ...into }, event.turn)
  }

  /** Milliseconds into the speech since the caller’s last step, at the replay's speaking rate. */
  #heardMs(): number {
    const characters = this.#beat.said.reduce((sum, { text }) => sum + text.length, 0)
    return Math.ceil((characters * 1000) / charactersPerSecond)
  }

  /** Consecutive keys are one step. A redacted digit becomes a 0. */
  #presses(event: TimelineEntryOf<'event'>): void {
    const { digit = '' } = eventOf<{ digit: string }>(event)
    const key = /^[0-9*#]$/.test(digit) ? digit : '0'
    const { step, said, deeds } = this.#beat
    const goesOn = step && 'press' in step && step.press.length < 32 && said.length === 0 && deeds.length === 0
    if (goesOn) step.press += key
    else this.#begin({ press: key }, event.turn)
    this.#quietSince = event.at
  }

  #speaks(speech: Speech | undefined): void {
    if (!speech || !this.#spoken.delete(speech.startedAt)) return
    this.#quietSince = speech.startedAt + speech.playedMs
    if (speech.text !== undefined && this.#own(speech.text)) this.#beat.said.push({ text: speech.text, cut: !speech.completed })
  }

  #acts({ eventId, turn, action }: TimelineEntryOf<'action'>): void {
    const { type = '', target, digits } = Object(action) as { type?: string; target?: string; digits?: string }
    if (this.#discarded.has(`${eventId} ${type}`) || turn < this.#beat.turn) return
    if (type === 'hangup') this.#beat.deeds.push('hangup')
    if (type === 'transfer') this.#beat.deeds.push(`transfer (${target ?? '?'})`)
    if (type === 'send_dtmf') this.#beat.deeds.push(`send_dtmf (${digits ?? '?'})`)
  }

  #usesTool({ data }: TimelineEntryOf<'note'>): void {
    const { name, arguments: given = '', status, response } = Object(data) as Partial<AgentNotes['tool']>
    if (name === undefined) return
    this.#beat.deeds.push(`tool (${name})`)
    if (response === undefined) return
    const [code = '', ...rest] = response.split('\n')
    const isHttp = /^\d{3}$/.test(code)
    const result = status === 'failed' && !isHttp ? { error: response } : valueOf(isHttp ? rest.join('\n') : response)
    this.call.tools.push({ name, arguments: valueOf(given), result, ...(isHttp && { status: Number(code) }) })
  }

  #ends(event: TimelineEntryOf<'event'>): void {
    const { reason } = eventOf<{ reason: SessionEndReason }>(event)
    if (reason === 'caller_hangup') this.#begin({ hang_up: true }, event.turn)
    if (reason !== undefined) this.call.ended = reason
    this.isOver = true
  }
}

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Words only, ignoring case, punctuation and spaces. */
export const plain = (text: string): string =>
  (
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')

const withoutMarkup = (ssml: string): string => ssml.replace(/<[^>]*>/g, ' ')

/** Placeholder of redacted text. */
const redacted = '•'

interface Spoken {
  type?: string
  text?: string
  ssml?: string
  stream_id?: string
}

/**
 * Whether spoken words come from the endpoint, matched from the start of one of its speeches: phrases of the service, for a late answer or
 * an unclear caller, are in no action.
 */
export const ownTextsOf = (entries: readonly TimelineEntry[]): ((text: string) => boolean) => {
  const wanted = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind !== 'action') continue
    const { type, text, ssml, stream_id: stream } = Object(entry.action) as Spoken
    if (type !== 'speak') continue
    const key = stream ?? String(entry.sequence)
    wanted.set(key, (wanted.get(key) ?? '') + (text ?? withoutMarkup(ssml ?? '')))
  }
  const texts = [...wanted.values()].map(plain)
  return (text) => text.includes(redacted) || texts.some((one) => one.startsWith(plain(withoutMarkup(text))))
}
