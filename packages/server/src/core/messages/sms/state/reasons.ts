/** Why a message failed; said in words by the texts `sms.reason.…`. */
const smsReasons = [
  /** The message centre does not take it. */
  'refused',
  /** There was no route all the time. */
  'no_way',
  /** The extension may no longer write in this name. */
  'sender_gone',
  /** The number was in service here when it was ordered, and free; it no longer is. */
  'moved_away',
  /** A number here that leads nowhere. */
  'nobody_there',
  /** What receipts say. */
  'undeliverable',
  'expired',
  'rejected',
] as const

export type SmsReason = (typeof smsReasons)[number]

export const isReason = (word: string | undefined): word is SmsReason => smsReasons.some((reason) => reason === word)
