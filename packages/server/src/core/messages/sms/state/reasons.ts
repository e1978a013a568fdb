/** Failure reasons of a message; worded by the texts `sms.reason.…`. */
const smsReasons = [
  /** Rejected by the message centre. */
  'refused',
  /** No route until the end of its validity. */
  'no_way',
  /** The extension may no longer use this sender. */
  'sender_gone',
  /** The number was local and free when ordered; it no longer is. */
  'moved_away',
  /** A local number without a target. */
  'nobody_there',
  /** From receipts. */
  'undeliverable',
  'expired',
  'rejected',
] as const

export type SmsReason = (typeof smsReasons)[number]

export const isReason = (word: string | undefined): word is SmsReason => smsReasons.some((reason) => reason === word)
