import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { TimelinePiece } from '#core/kernel/ports/store/call.ts'

/** A reader parses at least one piece at a time, which blocks the event loop. A long entry is its own piece. */
const maxPieceBytes = 128 * 1024

/** Splits entries into pieces, in order. */
export const piecesOf = (noted: readonly Noted[]): TimelinePiece[] => {
  const groups: Noted[][] = []
  let bytes = Infinity
  for (const one of noted) {
    bytes += one.bytes
    if (bytes > maxPieceBytes) {
      groups.push([])
      bytes = one.bytes
    }
    groups.at(-1)?.push(one)
  }
  return groups.map(pieceOf)
}

const pieceOf = (noted: readonly Noted[]): TimelinePiece => {
  const sequences = noted.map(({ entry }) => entry.sequence)
  return { first: sequences[0] ?? 0, last: sequences.at(-1) ?? 0, entries: `[${noted.map(({ text }) => text).join(',')}]` }
}

/** Entries of a piece after this sequence. */
export const entriesAfter = ({ entries }: TimelinePiece, after: number): TimelineEntry[] =>
  (JSON.parse(entries) as TimelineEntry[]).filter(({ sequence }) => sequence > after)

type Bare<E> = E extends unknown ? Omit<E, 'callId' | 'sequence' | 'at' | 'flowId'> : never

/** An event for a timeline, which adds call, time and sequence. */
export type TimelineEvent = Bare<TimelineEntry>

/** An entry with its JSON text, built once on demand. */
export class Noted {
  readonly entry: TimelineEntry
  #text: string | undefined

  constructor(entry: TimelineEntry) {
    this.entry = entry
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.entry))
  }

  /** Only shown to watchers: the final transcript follows. */
  get passing(): boolean {
    return this.entry.kind === 'heard' && !this.entry.final
  }

  /** Approximate: characters, most of which are one byte. */
  get bytes(): number {
    return this.text.length
  }
}
