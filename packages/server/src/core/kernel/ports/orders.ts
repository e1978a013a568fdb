import type { IncomingTrace } from '../trace/tracer.ts'

/** Who is on one side of a call: something inside the account, a number outside, the rescue services, or an assistant. */
export type Party =
  | { kind: 'extension'; id: string }
  | { kind: 'number'; e164: string }
  | { kind: 'emergency'; dialled: string }
  | { kind: 'flow'; id: string }

export interface CallOrder {
  sessionId: string
  accountId: string
  userId: string
  /** Rings first; the callee is called when it answers. Of a phone line only its registered and mobile devices ring, which cost nothing. */
  caller: Party
  /** `messages`: the caller listens to their own voicemail. */
  callee: Party | { kind: 'messages' }
  /** For whom money is reserved under `sessionId`, in this order; the others cost nothing. */
  paidLegs: readonly ('caller' | 'callee')[]
  /** Supplies billing and caller ID when the caller is no device itself. */
  deviceId: string | undefined
  /** E.164 shown to the callee; undefined leaves it to the device. */
  callerId: string | undefined
  /** Of the one who ordered it. */
  trace?: IncomingTrace | undefined
}

export interface FaxOrder {
  sessionId: string
  accountId: string
  userId: string
  faxlineId: string
  recipient: string
  /** A new document, or the one of an earlier fax. */
  document: { filename: string; pdf: Uint8Array } | { resendOf: string }
}

export interface SmsOrder {
  sessionId: string
  accountId: string
  userId: string
  smsId: string
  sender: string
  recipient: string
  message: string
  /** Milliseconds. */
  sendAt: number
}

/**
 * What carries out calls, faxes and messages. Each method resolves when the order is accepted, not when it is done, and throws a Problem
 * when it cannot be. An order whose sessionId was accepted before is the same order: it is not carried out twice.
 */
export interface Orders {
  startCall(order: CallOrder): Promise<void>
  sendFax(order: FaxOrder): Promise<void>
  sendSms(order: SmsOrder): Promise<void>
}
