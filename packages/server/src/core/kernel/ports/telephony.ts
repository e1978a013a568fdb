import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from './messages.ts'
import type { Sound, Playback, Announcement, SoundFeed, LegSound, Recording, SoundState, LegQuality, RecordingFile } from './audio.ts'

/** Authenticated source of a call: proved by digest or by a trunk's address, never by claims in the message. */
export type Origin =
  | { kind: 'device'; accountId: string; deviceId: string }
  | { kind: 'trunk'; trunkId: string }
  /** User who calls a flow of the account from a browser or a program. */
  | { kind: 'web'; accountId: string; userId: string; flowId: string; draft?: boolean; pretends?: PretendedNumbers }

/** Simulated E.164 numbers for a trial call: only the assistant sees them in place of the real ones. */
export interface PretendedNumbers {
  from?: string
  to?: string
}

/** Caller as shown to the callee. */
export interface CallerIdentity {
  /** E.164 if parseable as a number, otherwise as sent; undefined if unknown. */
  number: string | undefined
  name: string
  /** Anonymous call: only the emergency services and trusted trunks see the number. */
  withheld: boolean
}

/** Internal hangup causes; the telephony adapter maps them to and from SIP. */
export type Cause =
  | 'normal'
  | 'answered_elsewhere'
  | 'busy'
  | 'do_not_disturb'
  | 'no_answer'
  | 'rejected'
  | 'not_found'
  | 'unavailable'
  /** No response at all. */
  | 'unreachable'
  | 'forbidden'
  | 'payment_required'
  /** Spending limits despite a positive balance: per call, per day, or of the token that originated the call. */
  | 'call_limit_reached'
  | 'daily_limit_reached'
  | 'leash_spent'
  | 'anonymity_refused'
  | 'loop'
  | 'not_acceptable'
  | 'media_timeout'
  | 'overloaded'
  /** The database is unreachable, and the call cannot be made without it. */
  | 'out_of_service'
  | 'failed'

/** No media port is left for a call. */
export class CapacityExceeded extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'NoRoom'
  }
}

export interface LegEnd {
  by: 'peer' | 'us' | 'network'
  cause: Cause
  /** SIP status that caused it, if any. */
  status?: number
}

export interface BridgeRecording extends Recording {
  /** Assigns these legs to the left channel from now on; the others are on the right. */
  divide(left: readonly Leg[]): void
  /** Silence is recorded from now on, for as long as it lasts; or what is said again. */
  pause(value: boolean): void
}

export interface LegObserver {
  ringing?(): void
  /** Progress from the far end: neither ringing nor early media yet. */
  progressing?(): void
  /** The far end sends early media. */
  earlyAudio?(): void
  answered?(): void
  /** DTMF by any method. While an observer listens, in-band tones are detected for phones that send DTMF in no other way. */
  dtmf?(digit: string): void
  /** DTMF except in-band tones, which the other parties have already heard. */
  dtmfSignalled?(digit: string): void
  /** Text written instead of spoken. */
  typed?(text: string): void
  /** The far end put us on hold, or resumed. */
  held?(value: boolean): void
  /** Audio fails in either direction although it should flow, or works again. */
  sound?(state: SoundState): void
  /** The state that another node needs to resume the leg has changed: see `dialog`. */
  changed?(): void
  /** The far end requests a transfer (REFER, RFC 3515). */
  transferAsked?(transfer: TransferAsked): void
}

export interface TransferAsked {
  /** Number to call, or another leg of ours whose call is to be joined (attended transfer). */
  to: { dialled: string } | { leg: Leg }
  /** Reports progress to the transferor; the last report is `done` or `failed`. */
  trying(): void
  done(): void
  failed(cause: Cause): void
}

/** Audio of one phone. All methods may be called at any time, also before it is open and after its end. */
export interface Audio {
  /** Drops the audio sent by this phone. Not signalled. */
  mute(value: boolean): void
  /** Loops the phone's audio back to it. */
  echo(value: boolean): void
  /** Queued; this phone hears it instead of the other parties. While music plays, other playbacks and feeds wait. */
  play(sound: Sound, options?: { loop?: boolean }): Playback
  /** Has priority over everything else, including music; other playbacks and feeds wait. Announcements are queued; `urgent` plays immediately. */
  announce(sound: Sound, options?: { urgent?: boolean }): Announcement
  /** Queued like `play`. */
  feed(rate: 8000 | 16000): SoundFeed
  /** Silences the feed and the background for this phone while their time continues. */
  muteInput(value: boolean): void
  /** Lowers playbacks and feeds, but not announcements and music, by 12 dB, or restores them; over 20 ms. */
  duck(value: boolean): void
  /** Loops softly under everything but music and announcements, until replaced or undefined. `volume`: 0 to 1. */
  background(sound: { wav: Uint8Array } | undefined, volume: number): void
  /** For recognisers, which have to distinguish the caller's voice from our echo. */
  listen(): LegSound
  /** Resolves when the last tone is sent. Digits, * and #. */
  sendDtmf(digits: string): Promise<void>
  /** Records this phone's audio, one channel. */
  record(file: RecordingFile): Recording
}

/** Our connection to one phone. All methods may be called at any time; after its end they have no effect. */
export interface Leg {
  readonly id: string
  readonly answered: boolean
  readonly heldByPeer: boolean
  /** Negotiated codec (RFC 3551, RFC 7587); undefined if unknown or not applicable. */
  readonly codec?: string | undefined
  /** Trunk of the leg; undefined for phones. */
  readonly trunkId?: string | undefined
  /** Resolves once, with the first cause of its end. */
  readonly ended: Promise<LegEnd>
  /** Resolves shortly after `ended`; undefined if no packet arrived or another node took over. Missing: no packets are counted. */
  readonly quality?: Promise<LegQuality | undefined> | undefined
  readonly audio: Audio
  observe(observer: LegObserver): () => void
  /** Inbound: signals ringing to the caller. */
  ring(): void
  /** Inbound: signals progress to the caller. */
  proceed(): void
  /** Inbound: opens early media, for free announcements and for early media of the callee. */
  openEarly(): Promise<void>
  /** Inbound: resolves when the caller has confirmed the answer. */
  answer(): Promise<void>
  /** Cancels, rejects or hangs up, depending on the state; resolves when the far end confirmed it or did not respond. */
  hangUp(cause: Cause): Promise<void>
  /** Signalled hold with music for the far end. Resolves when the far end agreed. */
  hold(value: boolean): Promise<void>
  /** Called when the leg moves to another call. Missing: the far end does not identify calls by id. */
  movedTo?(callId: string): void
  /** State that another node needs to resume or end the leg. Undefined while the far end rings, and when neither is possible. */
  dialog(): SavedDialog | undefined
  /**
   * Another node owns the leg: nothing is sent to the far end from now on, neither a BYE nor audio. `ended` resolves, although the
   * phone's call continues.
   */
  abandon(): void
  /** The far end supports REFER. */
  readonly refers: boolean
  /**
   * Asks the far end to call another party (REFER), or to join another leg's call by calling us (Replaces, RFC 3891). Resolves when it
   * reached them; throws when it rejects or fails.
   */
  refer(to: { dialled: string } | { leg: Leg }, observer?: { ringing?: () => void }): Promise<void>
  /** Inbound, before the answer: a fax terminal takes over, and only the end of this leg remains usable. */
  asFax(): FaxLeg
}

/** Leg that carries a fax. */
export interface FaxLeg extends Pick<Leg, 'id' | 'answered' | 'observe' | 'hangUp' | 'dialog'> {
  readonly ended: Promise<LegEnd>
  /** Sends from the answer on; resolves when the pages have arrived or failed, or when the leg ended. Never throws, and hangs up itself. */
  send(fax: FaxToSend, observer?: FaxObserver): Promise<FaxResult>
  /** Inbound: answers with fax tones. Resolves like `send`. */
  receive(fax: FaxToReceive, observer?: FaxObserver): Promise<FaxResult>
}

/** Stored state of a leg as JSON, to resume or end it when its node is gone. Only the adapter reads it. */
export type SavedDialog = Readonly<Record<string, unknown>>

/**
 * Reason a leg is not resumed here. `gone`: the far end no longer knows the call or does not answer; nothing is left to send. `refused`:
 * the far end answers but does not agree to resume; it was sent BYE. `impossible`: its connection or keys were lost with the process, or
 * the stored state is insufficient; `sayBye` may still reach it. `full`: no media port is free; another node may have one. Nothing was
 * sent.
 */
/** `hung_up`: the far end sent BYE meanwhile, or answers 481, so that it ended the call itself. */
export type NotResumed = 'hung_up' | 'gone' | 'refused' | 'impossible' | 'full'

/** Leg of a call taken over from another node. It keeps its id. */
export type Resumed = { leg: Leg } | { leg?: undefined; reason: NotResumed }

export interface ResumeOptions {
  /**
   * Called when the far end of this leg agreed. Nothing is sent to it until this resolves: when a living node hands the call over, it
   * stops sending first, so that a phone never gets two streams.
   */
  agreed?: (legId: string) => Promise<void>
}

/** Legs that hear each other. A leg is in at most one bridge; adding it to another removes it from the first. */
export interface Bridge {
  add(leg: Leg): void
  remove(leg: Leg): void
  /**
   * Records all parties in two channels. Playback to a leg that is alone here is in the other channel, announcements are in both, music
   * is not recorded.
   */
  record(file: RecordingFile, left: readonly Leg[]): BridgeRecording
  close(): void
}

/** The edge asks one node after the other until one responds. */
export interface EdgeAttempt {
  /** Id of the call, the same at every node. */
  edgeCall: string
  /** Nodes asked before. */
  number: number
}

export interface IncomingCall {
  /** Set if the caller already knows the call by this id. */
  id?: string
  leg: Leg
  origin: Origin
  /** User part of the request URI, as dialled. */
  dialled: string
  caller: CallerIdentity
  /** Diverting parties, latest first. */
  diversions: readonly string[]
  /** Previous passes of this call through us (X-Offhook-Hops), 0 for a new one. */
  hops: number
  /** Leg replaced by this call (Replaces, RFC 3891). */
  replaces: Leg | undefined
  /** Set if it came through the edge. */
  attempt?: EdgeAttempt | undefined
  /** Number of the account that the device shows in this call. */
  shows?: string
  /** Maximum duration in seconds, unless the global call limit is shorter. */
  maxSeconds?: number
}

export interface Dial {
  caller: CallerIdentity
  diversions: readonly string[]
  /** Copied unchanged into X-Offhook-Hops. */
  hops: number
  /** Likely bridge peer: both legs are placed on the same media worker. */
  near?: Leg
  /** For phones that show more than SIP can carry. */
  about?: AboutCall
}

/** Call details for the ringing phone. */
interface AboutCall {
  callId: string
  /** Called number or extension. */
  called: string
  /** Alias of the ringing line or group; empty if none. */
  line: string
}

/** Phones reached by other means than SIP. */
export interface OtherPhones {
  dial(device: { accountId: string; deviceId: string }, dial: Dial): Promise<Leg[]>
  reaches(accountId: string, deviceId: string): Promise<boolean>
}

/** Postal address; unknown fields are empty. */
export interface CivicAddress {
  poBox: string
  extendedAddress: string
  street: string
  houseNumber: string
  locality: string
  region: string
  postalCode: string
  /** ISO 3166. */
  country: string
}

export type DialTarget =
  | { kind: 'device'; accountId: string; deviceId: string }
  /** `number` is E.164, or the dialled digits for emergency services; `location` is where help is needed. */
  | { kind: 'trunk'; trunkId: string; number: string; emergency: boolean; location?: CivicAddress }

export interface TrunkHealth {
  /** False if it is not registered although it should be, or does not respond. */
  usable: boolean
  calls: number
}

/** Telephony adapter: everything that needs SIP or RTP. */
export interface Telephony {
  onIncoming(take: (call: IncomingCall) => void): void
  /**
   * Starts calling: one leg per binding of the device (none if it is not registered), one for a trunk (none if all its channels are in
   * use, which emergency calls ignore). Throws CapacityExceeded.
   */
  dial(target: DialTarget, dial: Dial): Promise<Leg[]>
  /** Like `dial`, to send a fax. */
  dialFax(target: DialTarget, dial: Dial): Promise<FaxLeg[]>
  /** Software missing for fax support, as text for the operator; undefined if complete. */
  readonly faxMissing: string | undefined
  /** Whether a call to the device would ring somewhere, as far as is known. */
  reaches(accountId: string, deviceId: string): Promise<boolean>
  bridge(): Bridge
  /**
   * Resumes the legs of a call taken over from another node: re-INVITE, with audio from here. In the order of `saved`; hold and mute
   * states are kept. The other node has abandoned them or is gone. Never throws.
   */
  resume(saved: readonly SavedDialog[], options?: ResumeOptions): Promise<Resumed[]>
  /** Sends BYE for a leg whose node is gone. Resolves when it was confirmed or got no response. */
  sayBye(dialog: SavedDialog): Promise<void>
  trunkHealth(trunkId: string): TrunkHealth
}
