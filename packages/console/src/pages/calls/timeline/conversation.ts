import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

type Base = { key: string; at: number }

/** One entry of a conversation. */
export type Utterance =
  | (Base & { who: 'caller'; turn: number; text: string; final: boolean; typed: boolean; bargedIn: boolean; listens?: true })
  | (Base & {
      who: 'assistant'
      eventId: string
      stream: string | undefined
      wanted: string
      state: SpeechState
      spoken: string
      playedMs: number
    })
  | (Base & { who: 'keys'; digits: string })
  | (Base & { who: 'call'; moments: readonly TimelineEntryOf<'call'>[] })
  | (Base & { who: 'briefing'; entry: TimelineEntryOf<'briefing'> })
  /** Not understood, or a filler of the service. */
  | (Base & { who: 'aside'; entry: TimelineEntryOf<'unclear' | 'filler'> })
  | (Base & { who: 'problem'; message: string; eventId: string | undefined })

/** `coming`: requested and not heard yet. */
type SpeechState = 'coming' | 'speaking' | 'spoken' | 'interrupted' | 'discarded'
type Speech = Extract<Utterance, { who: 'assistant' }>

/** A requested speech, if it will be spoken. Audio has no words. */
interface SpeechRequest {
  type: 'speak' | 'audio'
  text?: unknown
  ssml?: unknown
  stream_id?: unknown
}

/** Builds a conversation from timeline entries. A changed utterance is replaced, never mutated, so that views can compare. */
export class Conversation {
  readonly #utterances: Utterance[] = []
  #picture: readonly Utterance[] | undefined
  readonly #most: number

  /** Keeps at most `max` utterances, dropping the oldest. */
  constructor(max = 1_000) {
    this.#most = max
  }

  /** The same array until a change. */
  get utterances(): readonly Utterance[] {
    this.#picture ??= [...this.#utterances]
    return this.#picture
  }

  add(entry: TimelineEntry): void {
    const base = { key: `${entry.sequence}`, at: entry.at }
    if (entry.kind === 'heard') this.#heard(entry, base)
    if (entry.kind === 'backchannel') this.#listens(entry, base)
    if (entry.kind === 'unclear' || entry.kind === 'filler') this.#put({ ...base, who: 'aside', entry })
    if (entry.kind === 'action') this.#wanted(entry, base)
    if (entry.kind === 'speaks') this.#speaks(entry, base)
    if (entry.kind === 'spoke') this.#spoke(entry, base)
    if (entry.kind === 'discarded') this.#discarded(entry)
    if (entry.kind === 'key') this.#pressed(entry, base)
    if (entry.kind === 'call') this.#happened(entry, base)
    if (entry.kind === 'briefing') this.#put({ ...base, who: 'briefing', entry })
    if (entry.kind === 'problem') this.#put({ ...base, who: 'problem', message: entry.message, eventId: entry.eventId })
    if (entry.kind === 'attempt') this.#attempted(entry, base)
  }

  #put(utterance: Utterance): void {
    if (this.#utterances.length >= this.#most) this.#utterances.shift()
    this.#utterances.push(utterance)
    this.#picture = undefined
  }

  #replace(old: Utterance, utterance: Utterance): void {
    this.#utterances[this.#utterances.lastIndexOf(old)] = utterance
    this.#picture = undefined
  }

  #last<U extends Utterance>(fits: (utterance: Utterance) => utterance is U): U | undefined {
    return this.#utterances.findLast((utterance): utterance is U => fits(utterance))
  }

  /** Final words replace partial ones. */
  #heard({ turn, text, final, typed, bargedIn = false }: TimelineEntryOf<'heard'>, base: Base): void {
    const before = this.#last(
      (one): one is Extract<Utterance, { who: 'caller' }> => one.who === 'caller' && !one.final && one.turn === turn,
    )
    const utterance = { ...base, who: 'caller' as const, turn, text, final, typed, bargedIn }
    if (before) this.#replace(before, { ...utterance, key: before.key })
    else this.#put(utterance)
  }

  /** A back-channel replaces the partial words that could have become a turn. */
  #listens({ text }: TimelineEntryOf<'backchannel'>, base: Base): void {
    const before = this.#last((one): one is Extract<Utterance, { who: 'caller' }> => one.who === 'caller' && !one.final)
    const utterance = { ...base, who: 'caller' as const, turn: 0, text, final: true, typed: false, bargedIn: false, listens: true as const }
    if (before) this.#replace(before, { ...utterance, key: before.key })
    else this.#put(utterance)
  }

  #wanted({ eventId, action }: TimelineEntryOf<'action'>, base: Base): void {
    if (!isSpeechRequest(action)) return
    const stream = typeof action.stream_id === 'string' ? action.stream_id : undefined
    const wanted = wordsOf(action)
    const before = stream === undefined ? undefined : this.#last((one): one is Speech => isSpeech(one) && one.stream === stream)
    if (before) this.#replace(before, { ...before, wanted: before.wanted + wanted })
    else this.#put({ ...base, who: 'assistant', eventId, stream, wanted, state: 'coming', spoken: '', playedMs: 0 })
  }

  #speaks({ eventId, text = '' }: TimelineEntryOf<'speaks'>, base: Base): void {
    const input = this.#waiting(eventId)
    if (input) this.#replace(input, { ...input, at: base.at, state: 'speaking' })
    else this.#put({ ...base, who: 'assistant', eventId, stream: undefined, wanted: text, state: 'speaking', spoken: '', playedMs: 0 })
  }

  #spoke({ eventId, text = '', startedAt, playedMs, completed }: TimelineEntryOf<'spoke'>, base: Base): void {
    const notified = { at: startedAt, state: completed ? ('spoken' as const) : ('interrupted' as const), spoken: text, playedMs }
    const input = this.#sounding(eventId) ?? this.#waiting(eventId)
    if (input) this.#replace(input, { ...input, ...notified })
    else this.#put({ ...base, who: 'assistant', eventId, stream: undefined, wanted: text, ...notified })
  }

  #discarded({ eventId, action }: TimelineEntryOf<'discarded'>): void {
    const input = action === 'speak' || action === 'audio' ? this.#waiting(eventId) : undefined
    if (input) this.#replace(input, { ...input, state: 'discarded' })
  }

  #waiting(eventId: string): Speech | undefined {
    return this.#utterances.find((one): one is Speech => isSpeech(one) && one.eventId === eventId && one.state === 'coming')
  }

  #sounding(eventId: string): Speech | undefined {
    return this.#utterances.find((one): one is Speech => isSpeech(one) && one.eventId === eventId && one.state === 'speaking')
  }

  /** Failed delivery attempts explain a late or missing answer. */
  #attempted({ state, error = '', eventId }: TimelineEntryOf<'attempt'>, base: Base): void {
    if (state === 'failed' || state === 'dead') this.#put({ ...base, who: 'problem', message: error, eventId })
  }

  /** Consecutive call events without speech are joined in one line. */
  #happened(entry: TimelineEntryOf<'call'>, base: Base): void {
    const before = this.#utterances.at(-1)
    if (before?.who === 'call') this.#replace(before, { ...before, moments: [...before.moments, entry] })
    else this.#put({ ...base, who: 'call', moments: [entry] })
  }

  #pressed({ digit }: TimelineEntryOf<'key'>, base: Base): void {
    const before = this.#utterances.at(-1)
    if (before?.who === 'keys') this.#replace(before, { ...before, digits: before.digits + digit })
    else this.#put({ ...base, who: 'keys', digits: digit })
  }
}

const isSpeech = (utterance: Utterance): utterance is Speech => utterance.who === 'assistant'

const isSpeechRequest = (action: unknown): action is SpeechRequest => {
  const { type } = (action ?? {}) as { type?: unknown }
  return type === 'speak' || type === 'audio'
}

const wordsOf = ({ text, ssml }: SpeechRequest): string =>
  typeof text === 'string'
    ? text
    : typeof ssml === 'string'
      ? ssml
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim()
      : ''

/** More of it is still to come. */
export const isChanging = (utterance: Utterance): boolean =>
  (utterance.who === 'caller' && !utterance.final) ||
  (utterance.who === 'assistant' && (utterance.state === 'coming' || utterance.state === 'speaking'))

/** The unspoken rest of a speech; empty if the words cannot be compared. */
export const unspokenPart = ({ wanted, spoken, state }: Speech): string => {
  if (state === 'discarded') return wanted
  if (state !== 'interrupted') return ''
  const said = spoken.replace(/[\s…]+$/, '')
  return wanted.startsWith(said) ? wanted.slice(said.length) : ''
}
