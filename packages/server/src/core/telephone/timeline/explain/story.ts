import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'

/** The entries of one call, in order, and what each of them is about. */
export class Story {
  readonly entries: readonly TimelineEntry[]
  readonly #kinds: Map<TimelineKind, TimelineEntry[]>
  readonly #turns = new Map<string, number>()

  constructor(entries: readonly TimelineEntry[]) {
    this.entries = entries
    this.#kinds = Map.groupBy(entries, ({ kind }) => kind)
    for (const entry of entries) if (entry.kind === 'event') this.#turns.set(entry.eventId, entry.turn)
  }

  all<K extends TimelineKind>(kind: K): readonly TimelineEntryOf<K>[] {
    return (this.#kinds.get(kind) ?? []) as TimelineEntryOf<K>[]
  }

  /** The turn of the event that something belongs to; undefined when the event is not in the timeline. */
  turnOf(eventId: string | undefined): number | undefined {
    return eventId === undefined ? undefined : this.#turns.get(eventId)
  }

  /** What the caller said, each when it was over. */
  get heard(): TimelineEntryOf<'heard'>[] {
    return this.all('heard').filter(({ final }) => final)
  }

  get end(): TimelineEntryOf<'call'> | undefined {
    return this.all('call').findLast(({ state }) => state === 'ended')
  }

  /** When the caller’s last sound of a turn was: it takes a while until the words are known. */
  quietSince({ at, turn }: Pick<TimelineEntryOf<'heard'>, 'at' | 'turn'>): number {
    const times = this.all('turn').find((one) => one.turn === turn)
    return at - (times?.decidedMs ?? 0)
  }
}
