import type { Fax } from '../ports/store/faxes.ts'

/** A fax whose first page is not here yet. */
export const incomingFax = (
  known: Pick<Fax, 'accountId' | 'id' | 'userId' | 'faxlineId' | 'sender' | 'recipient' | 'owner'>,
  at: number,
): Fax => ({
  ...known,
  direction: 'INCOMING',
  filename: '',
  resendOf: undefined,
  state: 'SENDING',
  pages: 0,
  pagesDone: 0,
  tries: 1,
  talkSeconds: 0,
  bitRate: 0,
  errorCorrection: false,
  carriedBy: undefined,
  station: '',
  reason: undefined,
  answeredAt: undefined,
  dialog: undefined,
  createdAt: at,
  changedAt: at,
  dueAt: undefined,
})
