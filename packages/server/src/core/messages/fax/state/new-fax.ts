import type { Fax } from '#core/kernel/ports/store/message.ts'

type Known = Pick<Fax, 'accountId' | 'id' | 'userId' | 'faxlineId' | 'sender' | 'recipient'>

/** State before the recipient is called. */
const unsent = {
  pagesDone: 0,
  talkSeconds: 0,
  bitRate: 0,
  errorCorrection: false,
  carriedBy: undefined,
  station: '',
  reason: undefined,
  answeredAt: undefined,
  dialog: undefined,
} as const

/** A fax before its first received page. */
export const incomingFax = (known: Known & Pick<Fax, 'owner'>, at: number): Fax => ({
  ...unsent,
  ...known,
  direction: 'INCOMING',
  filename: '',
  resendOf: undefined,
  state: 'SENDING',
  pages: 0,
  tries: 1,
  createdAt: at,
  changedAt: at,
  dueAt: undefined,
})

/** A fax to be sent immediately. */
export const outgoingFax = (known: Known & Pick<Fax, 'filename' | 'resendOf' | 'pages'>, at: number): Fax => ({
  ...unsent,
  ...known,
  direction: 'OUTGOING',
  state: 'PENDING',
  tries: 0,
  owner: undefined,
  createdAt: at,
  changedAt: at,
  dueAt: at,
})
