import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

/** What our own assistant notes; other endpoints may note anything under any name, so nothing of it has to be there. */
export interface NoteData {
  model?: string
  firstTokenMs?: number
  firstClauseMs?: number
  totalMs?: number
  promptTokens?: number
  completionTokens?: number
  cost?: number
  currency?: string
  finish?: string
  error?: string
  name?: string
  arguments?: unknown
  status?: string
  ms?: number
  request?: string
  response?: string
  query?: unknown
  passages?: readonly Passage[]
  version?: number | string
  key?: string
  does?: string
  limit?: string
}

export interface Passage {
  document: string
  heading?: string
  page?: number
  text?: string
}

export const dataOf = ({ data }: TimelineEntryOf<'note'>): NoteData =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}

export const passagesOf = (data: NoteData): readonly Passage[] =>
  Array.isArray(data.passages) ? data.passages.filter((one) => typeof one === 'object' && one !== null) : []

/** In one line; objects as JSON. */
export const inLine = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

/** `prices.md, Opening hours, p. 2`. */
export const sourceOf = ({ document, heading, page }: Passage): string =>
  [document, heading, page !== undefined && `p. ${page}`].filter(Boolean).join(', ')
