import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { Conversation, type Utterance } from './conversation.ts'

/** A turn of the caller, with the time of each step until the answer was heard. */
export interface TurnTimes {
  turn: number
  text: string
  times: TimelineEntryOf<'turn'>
}

/** Data for rendering a timeline. */
export interface TimelinePicture {
  entries: readonly TimelineEntry[]
  /** Number of dropped older entries. */
  forgotten: number
  utterances: readonly Utterance[]
  turns: readonly TurnTimes[]
  /** Types of events by id, for entries that refer to them. */
  eventTypes: ReadonlyMap<string, string>
  problems: number
  startedAt: number | undefined
  answeredAt: number | undefined
  ended: TimelineEntryOf<'call'> | undefined
}

const maxEntries = 5_000
const maxTurns = 200
/** Limit for raw exchanges: a single request and its answer may exceed a hundred thousand characters. */
const maxCharacters = 20_000_000
/** Factor above the limit before entries are dropped: each drop moves all others. */
const slack = 1.1

/** Stores a call's timeline entries, up to a displayable amount. */
export class TimelineBook {
  #last = 0
  #entries: TimelineEntry[] = []
  #forgotten = 0
  #characters = 0
  #problems = 0
  #turns: TurnTimes[] = []
  #startedAt: number | undefined
  #answeredAt: number | undefined
  #ended: TimelineEntryOf<'call'> | undefined
  readonly #conversation = new Conversation()
  readonly #texts = new Map<number, string>()
  readonly #eventTypes = new Map<string, string>()

  /** Ignores entries repeated after a reconnect. */
  add(entries: readonly TimelineEntry[]): void {
    for (const entry of entries) if (entry.sequence > this.#last) this.#add(entry)
    if (this.#entries.length > maxEntries * slack || this.#characters > maxCharacters * slack) this.#forget()
  }

  #forget(): void {
    let count = 0
    while (this.#entries.length - count > maxEntries || this.#characters > maxCharacters)
      this.#characters -= charactersOf(this.#entries[count++])
    for (const entry of this.#entries.slice(0, count)) if (entry.kind === 'event') this.#eventTypes.delete(entry.eventId)
    this.#entries = this.#entries.slice(count)
    this.#forgotten += count
  }

  picture(): TimelinePicture {
    return {
      entries: [...this.#entries],
      forgotten: this.#forgotten,
      utterances: this.#conversation.utterances,
      turns: this.#turns,
      eventTypes: this.#eventTypes,
      problems: this.#problems,
      startedAt: this.#startedAt,
      answeredAt: this.#answeredAt,
      ended: this.#ended,
    }
  }

  #add(entry: TimelineEntry): void {
    this.#last = entry.sequence
    this.#entries.push(entry)
    this.#characters += charactersOf(entry)
    this.#startedAt ??= entry.at
    this.#conversation.add(entry)
    if (isProblem(entry)) this.#problems += 1
    if (entry.kind === 'heard' && entry.final) this.#texts.set(entry.turn, entry.text)
    if (entry.kind === 'turn') this.#timed(entry)
    if (entry.kind === 'event') this.#eventTypes.set(entry.eventId, entry.type)
    if (entry.kind === 'call' && entry.state === 'answered') this.#answeredAt ??= entry.at
    if (entry.kind === 'call' && entry.state === 'ended') this.#ended = entry
  }

  #timed(times: TimelineEntryOf<'turn'>): void {
    const { turn } = times
    this.#turns = [...this.#turns.filter((other) => other.turn !== turn), { turn, text: this.#texts.get(turn) ?? '', times }].slice(
      -maxTurns,
    )
    // Also those of earlier turns: not every turn is answered.
    for (const heard of this.#texts.keys()) if (heard <= turn) this.#texts.delete(heard)
  }
}

const charactersOf = (entry: TimelineEntry | undefined): number =>
  entry?.kind === 'attempt' ? (entry.request?.body.length ?? 0) + (entry.response?.body.length ?? 0) : 0

/** Entries that matter for troubleshooting. A superseded reply does not count. */
export const isProblem = (entry: TimelineEntry): boolean =>
  entry.kind === 'problem' || (entry.kind === 'attempt' && (entry.state === 'failed' || entry.state === 'dead'))
