import type { OutputOf } from '#api/use-service.ts'
import type { TimelinePicture } from '../timeline/timeline-book.ts'

type Report = OutputOf<'runLab'>

type Variant = Report['variants'][number]

/** The original call, or a variant. */
export interface LabRow extends Omit<Variant, 'settings' | 'splits' | 'merged'> {
  key: string
  isLive: boolean
  /** Undefined for the original call, the reference of the others. */
  splits?: number
  merged?: number
}

/** The call first, then the variants in requested order. */
export const rowsOf = ({ live, variants }: Pick<Report, 'live' | 'variants'>, liveName: string): LabRow[] => [
  ...(live ? [{ ...live, key: 'live', name: liveName, isLive: true }] : []),
  ...variants.map((variant, index) => ({ ...variant, key: `${index}`, isLive: false })),
]

export interface Stretch {
  fromMs: number
  toMs: number
}

/** Speech times of the assistant, since the start of the recording. */
export const speechesOf = (picture: TimelinePicture | undefined): Stretch[] => {
  const startedAt = picture?.entries.find((entry) => entry.kind === 'call' && entry.state === 'recording')?.at
  if (!picture || startedAt === undefined) return []
  return picture.entries.flatMap((entry) =>
    entry.kind === 'spoke' && entry.startedAt + entry.playedMs > startedAt
      ? [{ fromMs: Math.max(0, entry.startedAt - startedAt), toMs: entry.startedAt + entry.playedMs - startedAt }]
      : [],
  )
}

/** Speech times of the caller: the union of all variants. */
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
