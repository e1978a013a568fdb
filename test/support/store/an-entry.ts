import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'

/** Answered call at noon; `more` overrides fields. */
export const anEntry = (id: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id,
  userId: 'w0',
  sessionId: `s-${id}`,
  type: 'CALL',
  direction: 'INCOMING',
  source: '+4915112345678',
  target: '+4921112345678',
  sourceAlias: '',
  targetAlias: '',
  status: 'PICKUP',
  connectionIds: ['p0'],
  endpoints: [],
  detail: {},
  createdAt: noon,
  modifiedAt: noon,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
  ...more,
})

export const noon = Date.UTC(2026, 1, 10, 12)
