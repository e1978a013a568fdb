import type { Explanation, FindingCode } from '@offhook/contract/v2/explanation.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { TextKey } from '#core/kernel/translations/index.ts'
import type { Story } from './story.ts'
import type { ExplainedTurn } from './turns.ts'

/** Something that stands out in a call, before it is put into words. */
export interface Found {
  code: FindingCode
  severity: Explanation['findings'][number]['severity']
  turn?: number | undefined
  /** Instead of the text of the code. */
  text?: TextKey
  values?: Readonly<Record<string, string | number>>
  /** The rule that led the call, which is put into words as {rule}. */
  rule?: TimelineEntryOf<'routing'>
  evidence: readonly number[]
}

/** Looks for one kind of thing. */
export type Finder = (story: Story, turns: readonly ExplainedTurn[]) => Found[]

const ranks = { error: 0, warning: 1, info: 2 }

/** The worst first; of what is equally bad, what happened first. */
export const worstFirst = (found: readonly Found[]): Found[] =>
  found.toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || (a.evidence[0] ?? 0) - (b.evidence[0] ?? 0))

export const sequencesOf = (entries: readonly { sequence: number }[]): number[] => entries.map(({ sequence }) => sequence)

/** As it is read: 1.4 s. */
export const seconds = (ms: number): string => (ms / 1000).toFixed(1)
