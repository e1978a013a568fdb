import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { TimelinePiece } from '#core/kernel/ports/store/call/timelines.ts'
import type { Noted } from './noted.ts'

/** A reader takes at least one piece at once, and meanwhile no other request is served. A long entry is a piece for itself. */
const maxPieceBytes = 128 * 1024

/** How entries are written, in their order. */
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

/** How they are read again: what a piece has after this sequence. */
export const entriesAfter = ({ entries }: TimelinePiece, after: number): TimelineEntry[] =>
  (JSON.parse(entries) as TimelineEntry[]).filter(({ sequence }) => sequence > after)
