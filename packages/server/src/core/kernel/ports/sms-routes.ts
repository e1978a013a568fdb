/** One message of at most 140 octets, as it travels. */
export interface SmsPart {
  /** E.164, or up to 11 letters and digits. */
  sender: string
  recipient: string
  /** Septets unpacked, one in each byte, with escapes; or UTF-16 big endian. Without the header. */
  encoding: 'GSM7' | 'UCS2'
  payload: Uint8Array
  /** The same as text, for routes that encode themselves. */
  text: string
  /** Of several: reference 0–255, counted from 1. */
  of?: { reference: number; total: number; number: number }
}

/** Refused for good: `why` in words. No other try makes sense. */
export class SmsRefused extends Error {
  readonly why: string

  constructor(why: string) {
    super(why)
    this.name = 'SmsRefused'
    this.why = why
  }
}

/** It did not leave us: not connected, throttled, queue full. Later. */
export class SmsLater extends Error {
  readonly waitMs: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.name = 'SmsLater'
    this.waitMs = waitMs
  }
}

/** A carrier's way to other networks. */
export interface SmsRoute {
  /** Part of the key under which its ids are kept: `smpp`, `gateway`. */
  readonly name: string
  /** `text`: it cuts messages into parts itself and gets the whole text as one part. */
  readonly takes: 'parts' | 'text'
  /**
   * Resolves with the id that receipts will name when it was taken over. Throws SmsRefused or SmsLater; any other error: it is not known
   * whether it was taken, so it is sent again and charged once. Must end within 25 s, waiting in the route's own queue included.
   */
  submit(part: SmsPart): Promise<{ id: string }>
}

export type ReceiptState = 'ENROUTE' | 'DELIVERED' | 'EXPIRED' | 'UNDELIVERABLE' | 'REJECTED' | 'UNKNOWN'

export interface SmsReceipt {
  id: string
  state: ReceiptState
  /** The network's error code, or empty. */
  error: string
  /** E.164 of the recipient, if the receipt names it: some message centres give many messages the same id. */
  recipient?: string
}

export interface InboundSms {
  /** As it was sent: E.164 without plus, or letters. */
  sender: string
  recipient: string
  text: string
  of?: { reference: number; total: number; number: number }
}

/** What routes tell us. Resolves when it is safely written down: only then they may confirm it. */
export interface SmsReceiver {
  arrived(route: string, sms: InboundSms): Promise<void>
  receipt(route: string, receipt: SmsReceipt): Promise<void>
}

/** Messages to and from phones that are registered here (SIP MESSAGE). */
export interface PhoneMessages {
  /** How many bindings of the device took it. */
  send(to: { accountId: string; deviceId: string }, message: { from: string; text: string }): Promise<number>
}

/** A text that a phone registered here sends (SIP MESSAGE). */
export interface PhoneText {
  accountId: string
  deviceId: string
  /** As it was dialled. */
  to: string
  text: string
  /** The same for one that is sent again because its answer got lost. */
  id: string
}

/** What a carrier brought over a trunk. */
export interface TrunkText {
  /** E.164 if it can be read as such, else as it was shown; undefined when it is withheld. */
  sender: string | undefined
  recipient: string
  text: string
  /** The same for one that is sent again because its answer got lost. */
  id: string
}

/** Resolves when it is safely written down. Throws a Problem when the number is not in service here. */
export type TakeTrunkText = (text: TrunkText) => Promise<void>

/** `delivered`: another phone shows it. `accepted`: it is on its way. Throws a Problem when it can go nowhere. */
export type TakePhoneText = (text: PhoneText) => Promise<'delivered' | 'accepted'>
