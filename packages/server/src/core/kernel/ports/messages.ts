/** Result of a T.30 session. */
export interface FaxResult {
  /** T.30 result code of the engine: 0 is success. Undefined if the engine died or never began. */
  code: number | undefined
  /** Sent: pages confirmed by the far end. Received: complete pages. Counted from the first page of this call. */
  pages: number
  /** Bit rate of the last page; 0 before negotiation. */
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio'
  /** Station identifier of the far end; empty if it sent none. */
  station: string
}

export interface FaxObserver {
  /** Called after each page sent or received. `pages` counts from the first one of this call. */
  page?(pages: number): void
}

export interface FaxToSend {
  /** Path of a TIFF with one bit per pixel, 1728 wide, 204×196 dpi. */
  file: string
  /** First page to send, counted from 0: earlier pages arrived in a previous call. */
  firstPage: number
  /** Our station identifier: at most 20 digits, spaces and +. */
  station: string
  /** Header line printed above every page, at most 50 characters; empty for none. */
  header: string
}

export interface FaxToReceive {
  /** Path of the TIFF to write. */
  file: string
  station: string
}

/** Fax that a fax line of an account is about to receive. */
export interface ArrivingFax {
  /** Call that carries the fax. */
  callId: string
  accountId: string
  userId: string | undefined
  faxlineId: string
  /** A number, or `anonymous`. */
  sender: string
  /** Called number. */
  recipient: string
}

export interface FaxBeingReceived {
  /** Path of the TIFF that receives the pages. */
  readonly file: string
  /** Ends the reception; received pages are kept. Undefined if the fax machine never answered. */
  end(result: FaxResult | undefined): Promise<void>
}

/** Receives faxes of inbound calls. */
export interface FaxIntake {
  /** Resolves once the fax is recorded. No page may be confirmed before: a confirmed page must not be lost. */
  begin(fax: ArrivingFax): Promise<FaxBeingReceived>
}

/** Files of a fax, in one folder per account. */
export interface FaxFile {
  accountId: string
  faxId: string
  /** `document`: PDF as submitted or received. `pages`: TIFF for transmission. `report`: PDF. `preview`: PNG of the first page. */
  kind: 'document' | 'pages' | 'report' | 'preview'
}

export interface OpenFaxFile {
  readonly bytes: number
  readonly changedAt: number
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

export interface FaxFiles {
  /** Local path where an engine writes the file; its folder exists. */
  pathOf(file: FaxFile): Promise<string>
  /** The engine has finished writing the file: it can be stored elsewhere now. */
  written(file: FaxFile): Promise<void>
  /** Local path for engines that read the file themselves, valid until `release`. Undefined if the file does not exist. */
  lend(file: FaxFile): Promise<{ path: string; release(): Promise<void> } | undefined>
  open(file: FaxFile): Promise<OpenFaxFile | undefined>
  /** Visible under its name once complete. Streamed content need not fit into memory. */
  write(file: FaxFile, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Erases all files of this fax. No-op if none exist. Throws if they cannot be removed now. */
  erase(accountId: string, faxId: string): Promise<void>
  /** Bytes of all files of this fax. */
  bytesOf(accountId: string, faxId: string): Promise<number>
  /** All faxes with files, unordered. */
  list(): AsyncIterable<{ accountId: string; faxId: string; changedAt: number }>
}

/** Thrown if a document cannot be faxed: `why` completes the sentence "base64Content …". */
export class DocumentRefused extends Error {
  readonly why: string

  constructor(why: string) {
    super(why)
    this.name = 'DocumentRefused'
    this.why = why
  }
}

/** Converts documents to fax pages and back. Input is untrusted. */
export interface FaxPrinter {
  /** PDF → document, pages (TIFF) and preview of this fax, written to its files; returns the page count. Throws DocumentRefused and leaves no files then. */
  render(fax: { accountId: string; faxId: string }, pdf: Uint8Array): Promise<{ pages: number }>
  /** Received TIFF → document and preview of this fax; returns its page count, 0 also if there is no file. */
  bind(fax: { accountId: string; faxId: string }): Promise<{ pages: number; preview: boolean }>
  /** Writes the transmission report: a page of text with a thumbnail of the first page. */
  report(fax: { accountId: string; faxId: string }, text: { title: string; lines: readonly (readonly [string, string])[] }): Promise<void>
}

/** One message part of at most 140 octets, as transmitted. */
export interface SmsPart {
  /** E.164, or up to 11 letters and digits. */
  sender: string
  recipient: string
  /** GSM7: unpacked septets, one per byte, with escapes. UCS2: UTF-16 big endian. Both without the user data header. */
  encoding: 'GSM7' | 'UCS2'
  payload: Uint8Array
  /** The same as text, for routes that encode it themselves. */
  text: string
  /** Position in a concatenated message: reference 0–255, parts counted from 1. */
  of?: { reference: number; total: number; number: number }
}

/** Permanent rejection: `why` is the reason as text. Retrying is pointless. */
export class SmsRefused extends Error {
  readonly why: string

  constructor(why: string) {
    super(why)
    this.name = 'SmsRefused'
    this.why = why
  }
}

/** Not sent: not connected, throttled or queue full. Retry after `waitMs`. */
export class SmsLater extends Error {
  readonly waitMs: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.name = 'SmsLater'
    this.waitMs = waitMs
  }
}

/** Carrier's route to other networks. */
export interface SmsRoute {
  /** Part of the key under which message ids are stored: `smpp`, `gateway`. */
  readonly name: string
  /** `text`: the route splits messages itself and gets the whole text as one part. */
  readonly takes: 'parts' | 'text'
  /**
   * Resolves with the id named in receipts once the carrier accepted the part. Throws SmsRefused or SmsLater; after any other error it is
   * unknown whether it was accepted, so it is sent again and charged once. Must end within 25 s, including the time in the route's own
   * queue.
   */
  submit(part: SmsPart): Promise<{ id: string }>
}

export type ReceiptState = 'ENROUTE' | 'DELIVERED' | 'EXPIRED' | 'UNDELIVERABLE' | 'REJECTED' | 'UNKNOWN'

export interface SmsReceipt {
  id: string
  state: ReceiptState
  /** Error code of the network, or empty. */
  error: string
  /** E.164 of the recipient, if the receipt names it: some message centres reuse one id for many messages. */
  recipient?: string
}

export interface InboundSms {
  /** As sent: E.164 without plus, or letters. */
  sender: string
  recipient: string
  text: string
  of?: { reference: number; total: number; number: number }
}

/** Receives messages and receipts from routes. Resolves once they are stored: only then may the route confirm them. */
export interface SmsReceiver {
  arrived(route: string, sms: InboundSms): Promise<void>
  receipt(route: string, receipt: SmsReceipt): Promise<void>
}

/** Messages to registered phones (SIP MESSAGE, RFC 3428). */
export interface PhoneMessages {
  /** Returns the number of bindings that accepted the message. */
  send(to: { accountId: string; deviceId: string }, message: { from: string; text: string }): Promise<number>
}

/** Text sent by a registered phone (SIP MESSAGE, RFC 3428). */
export interface PhoneText {
  accountId: string
  deviceId: string
  /** As dialled. */
  to: string
  text: string
  /** Identical for retransmissions. */
  id: string
}

/** Text received over a trunk. */
export interface TrunkText {
  /** E.164 if parseable, otherwise as shown; undefined if withheld. */
  sender: string | undefined
  recipient: string
  text: string
  /** Identical for retransmissions. */
  id: string
}

/** Resolves once the text is stored. Throws a Problem if the number is not in service here. */
export type TakeTrunkText = (text: TrunkText) => Promise<void>

/** `delivered`: another phone shows it. `accepted`: it is on its way. Throws a Problem if it cannot be routed. */
export type TakePhoneText = (text: PhoneText) => Promise<'delivered' | 'accepted'>

/** Health of a route to other networks. */
export interface SmsRouteState {
  usable: boolean
  /** Reason it is unusable; empty if usable. */
  reason: string
  /** Time of the last change. */
  since: number
}

export interface SmsRouteView extends SmsRouteState {
  name: string
}
