export interface SmsLine {
  id: string
  alias: string
  /** The user it belongs to. */
  owner: string
  /** The default sender, E.164. */
  callerId: string | undefined
}

export interface SmsCallerId {
  id: number
  /** E.164 */
  phoneNumber: string
  verified: boolean
  isDefault: boolean
}

/** What was sent to the number, as a hash, and until when it may be answered. */
export interface SentCode {
  hash: string
  expiresAt: number
}

/** SMS extensions that were deleted are not found by any of these. */
export interface SmsLines {
  /** An SMS extension of a user; gives its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  list(accountId: string, owner: string): Promise<SmsLine[]>
  find(accountId: string, id: string): Promise<SmsLine | undefined>
  /** With its senders. */
  remove(accountId: string, id: string, at: number): Promise<void>
  callerIds(accountId: string, sms: string): Promise<SmsCallerId[]>
  findCallerId(accountId: string, sms: string, id: number): Promise<SmsCallerId | undefined>
  /** A number that waits for its code gets the new one and fresh tries; undefined when it is verified already. */
  awaitCode(accountId: string, sms: string, phoneNumber: string, code: SentCode): Promise<number | undefined>
  /** Counts a try before it is known whether it is right; gives the hash to compare with, or undefined when no try is left. */
  takeTry(accountId: string, sms: string, id: number, limit: { tries: number; now: number }): Promise<string | undefined>
  /** From now on it can be a sender; the code is spent. */
  markVerified(accountId: string, sms: string, id: number, at: number): Promise<void>
  /** The default sender from now on, or none of them. Must be verified. */
  setDefault(accountId: string, sms: string, id: number | undefined): Promise<void>
  removeCallerId(accountId: string, sms: string, id: number): Promise<boolean>
}
