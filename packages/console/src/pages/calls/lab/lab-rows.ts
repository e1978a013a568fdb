import type { OutputOf } from '#api/use-service.ts'
import type { TimelinePicture } from '../timeline/timeline-book.ts'

type Report = OutputOf<'runLab'>
type Variant = Report['variants'][number]

/** The call as it was, or what it would have been. */
export interface LabRow extends Omit<Variant, 'settings' | 'splits' | 'merged'> {
  key: string
  isLive: boolean
  /** Missing: of the call itself, against which the others are held. */
  splits?: number
  merged?: number
}

/** The call first, then the variants as they were asked for. */
export const rowsOf = ({ live, variants }: Pick<Report, 'live' | 'variants'>, liveName: string): LabRow[] => [
  ...(live ? [{ ...live, key: 'live', name: liveName, isLive: true }] : []),
  ...variants.map((variant, index) => ({ ...variant, key: `${index}`, isLive: false })),
]

export interface Stretch {
  fromMs: number
  toMs: number
}

/** When the assistant was heard, since the recording began. */
export const speechesOf = (picture: TimelinePicture | undefined): Stretch[] => {
  const began = picture?.entries.find((entry) => entry.kind === 'call' && entry.state === 'recording')?.at
  if (!picture || began === undefined) return []
  return picture.entries.flatMap((entry) =>
    entry.kind === 'spoke' && entry.startedAt + entry.playedMs > began
      ? [{ fromMs: Math.max(0, entry.startedAt - began), toMs: entry.startedAt + entry.playedMs - began }]
      : [],
  )
}

/** When the caller was heard: what any variant took for a voice. */
export const voicesOf = (rows: readonly Pick<LabRow, 'turns'>[]): Stretch[] => {
  const all = rows.flatMap(({ turns }) => turns).toSorted((a, b) => a.startMs - b.startMs)
  const joined: Stretch[] = []
  for (const { startMs, endMs } of all) {
    const last = joined.at(-1)
    if (last && startMs <= last.toMs) last.toMs = Math.max(last.toMs, endMs)
    else joined.push({ fromMs: startMs, toMs: endMs })
  }
  return joined
}
