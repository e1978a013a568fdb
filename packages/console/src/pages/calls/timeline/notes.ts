import type { AgentNotes, Citation } from '@offhook/contract/v3/agent-notes.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

/** What our own assistant notes; other endpoints may note anything under any name, so nothing of it has to be there. */
export type NoteData = Partial<AgentNotes['assistant'] & AgentNotes['model'] & AgentNotes['tool'] & AgentNotes['knowledge']>

export const dataOf = ({ data }: TimelineEntryOf<'note'>): NoteData =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}

export const passagesOf = (data: NoteData): readonly Citation[] =>
  Array.isArray(data.passages) ? data.passages.filter((one) => typeof one === 'object' && one !== null) : []

/** In one line; objects as JSON. */
export const inLine = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

/** `prices.md, Opening hours, p. 2`. */
export const sourceOf = ({ document, heading, page }: Citation): string =>
  [document, heading, page !== undefined && `p. ${page}`].filter(Boolean).join(', ')
