import type { soundStates, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from './fax-transport.ts'

/** Who a call comes from. Proved by digest or by a trunk's address, never by what a message claims. */
export type Origin =
  | { kind: 'device'; accountId: string; deviceId: string }
  | { kind: 'trunk'; trunkId: string }
  /** A user who calls a flow of the account from a browser or a program. */
  | { kind: 'web'; accountId: string; userId: string; flowId: string; draft?: boolean; pretends?: PretendedNumbers }

/** Numbers of a try-out, as E.164: the assistant is told them in place of the true ones, nobody else is. */
export interface PretendedNumbers {
  from?: string
  to?: string
}

/** The caller as the called party sees it. */
export interface CallerIdentity {
  /** E.164 when it can be read as a number, otherwise as it was sent; undefined when nothing is known. */
  number: string | undefined
  name: string
  /** The caller wants to be anonymous: only the rescue services and a trunk that is trusted with it see the number. */
  withheld: boolean
}

/** Why something ends, in our words; the telephone side translates to and from SIP. */
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
  /** There is money, but no more may be spent: on this call, today, or by the token that ordered the call. */
  | 'call_limit_reached'
  | 'daily_limit_reached'
  | 'leash_spent'
  | 'anonymity_refused'
  | 'loop'
  | 'not_acceptable'
  | 'media_timeout'
  | 'overloaded'
  /** The database is away, and without it the call cannot be made. */
  | 'out_of_service'
  | 'failed'

/** No call can be made because no media port is left. */
export class CapacityExceeded extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'NoRoom'
  }
}

export interface LegEnd {
  by: 'peer' | 'us' | 'network'
  cause: Cause
  /** The SIP status that said so, if one did. */
  status?: number
}

export type Sound =
  /** Mono, 16 bit or G.711, 8 or 16 kHz. */
  { wav: Uint8Array } | { tone: 'ringback' | 'busy' | 'beep' | 'congestion' } | { prompt: PromptName; language: string } | { music: 'hold' }

export type WavSound = Extract<Sound, { wav: Uint8Array }>

/** Texts that we have as sound: packages/server/assets/prompts/<language>/<name>.wav. */
export type PromptName =
  | 'voicemail-greeting'
  | 'insufficient-funds'
  | 'spending-limit'
  | 'not-available'
  | 'closed'
  | 'recording-notice'
  | 'new-message'
  | 'heard-message'
  | 'message-menu'
  | 'message-erased'
  | 'no-more-messages'

export interface Playback {
  /** Resolves when it was played to its end, or stopped, or the leg is gone. */
  readonly done: Promise<{ completed: boolean; playedMs: number }>
  stop(): void
}

export interface Announcement extends Playback {
  /** Resolves when the first of it is on its way to the phone; never, when it was stopped before. */
  readonly begun: Promise<void>
}

/** Sound that comes piece by piece, such as synthesised speech. */
export interface SoundFeed extends Playback {
  /** Gives how many samples were taken; the rest has to be offered again. */
  write(samples: Int16Array): number
  /** Resolves when there is room for this many samples, or when nothing is taken any more. */
  hasCapacity(samples: number): Promise<void>
  /** Nothing more comes: `done` resolves when what was written is played. */
  end(): void
  /** Resolves when the first of it is on its way to the phone; never, when it was stopped before. */
  readonly begun: Promise<void>
  /** How much of it was played until now. */
  playedMs(): number
}

/**
 * Both sides of a leg while they sound: 8 kHz, 16 bit, in blocks of 20 ms. Each block is 160 samples of what the phone says and then 160
 * samples of what it was sent at the same moment. A ring that one thread writes and another reads (see SampleRing).
 */
export interface LegSound {
  readonly buffer: SharedArrayBuffer
  close(): void
}

export interface Recorded {
  durationMs: number
  /** Of the file. */
  bytes: number
  /** The disk was full or the recording could not go on for another reason. */
  truncated: boolean
}

export interface Recording {
  /** As in RecordingFile. */
  readonly id: string
  /** Whether there is a file to write to. */
  readonly opened: Promise<boolean>
  stop(): Promise<Recorded>
}

export interface BridgeRecording extends Recording {
  /** Who is heard left from now on; the others are right. */
  divide(left: readonly Leg[]): void
}

/** Whether a phone is heard and hears us; see the contract's timeline. */
export type SoundState = (typeof soundStates)[number]

export type SoundTrouble = Exclude<SoundState, 'heard'>

/** How the packets of a phone came; see the contract's timeline. */
export type LegQuality = Pick<
  TimelineEntryOf<'quality'>,
  'packetsReceived' | 'packetsLost' | 'jitterMs' | 'roundTripMs' | 'worst' | 'reported'
>

export interface LegObserver {
  ringing?(): void
  /** The far end works on it: it does not ring yet, and nothing is to be heard. */
  progressing?(): void
  /** The far end sends something to be heard before it answers. */
  earlyAudio?(): void
  answered?(): void
  /** A key, however it was sent. As long as somebody wants to know, keys are looked for in the sound of phones that send them in no other way. */
  dtmf?(digit: string): void
  /** The same, but none that came as a tone in the audio: the other parties have heard that already. */
  dtmfSignalled?(digit: string): void
  /** Words that were written instead of spoken. */
  typed?(text: string): void
  /** The far end put us on hold, or resumed. */
  held?(value: boolean): void
  /** Its audio does not arrive, or ours does not reach it, although it should; or it does again. */
  sound?(state: SoundState): void
  /** Another process that goes on with it needs to know what changed: `dialog` has it. */
  changed?(): void
  /** The far end asks to be transferred (REFER). */
  transferAsked?(transfer: TransferAsked): void
}

export interface TransferAsked {
  /** A number to call, or another leg of ours whose call is to be joined (attended). */
  to: { dialled: string } | { leg: Leg }
  /** Reports progress to the phone that asked; the last report is `done` or `failed`. */
  trying(): void
  done(): void
  failed(cause: Cause): void
}

/** What one phone hears and says. Everything may be called at any time, also before it is open and after its end. */
export interface Audio {
  /** What this phone sends is dropped. Not signalled. */
  mute(value: boolean): void
  /** What this phone sends goes back to it. */
  echo(value: boolean): void
  /** Queued, and heard by this phone instead of the others. While music plays, everything else that is played or fed waits. */
  play(sound: Sound, options?: { loop?: boolean }): Playback
  /** Heard by this phone before everything else, music too; what else is played or fed waits. One after the other; `urgent`: at once. */
  announce(sound: Sound, options?: { urgent?: boolean }): Announcement
  /** In the queue like `play`. */
  feed(rate: 8000 | 16000): SoundFeed
  /** What is fed to this phone, and the background, is not heard, though its time goes on. */
  muteInput(value: boolean): void
  /** What is played or fed to this phone, but no announcement and no music, is heard 12 dB softer, or as loud as it is again; over 20 ms. */
  duck(value: boolean): void
  /** Softly under everything that the phone hears but music and announcements, again and again, until another one or undefined takes its place. `volume`: 0 to 1. */
  background(sound: { wav: Uint8Array } | undefined, volume: number): void
  /** For recognisers, which have to tell the caller's voice from the echo of ours. */
  listen(): LegSound
  /** Resolves when the last tone is out. Digits, * and #. */
  sendDtmf(digits: string): Promise<void>
  /** What this phone says, one channel. */
  record(file: RecordingFile): Recording
}

/** Our connection to one phone. Everything may be called at any time; after its end nothing has an effect. */
export interface Leg {
  readonly id: string
  readonly answered: boolean
  readonly heldByPeer: boolean
  /** What its sound is agreed to be written in (RFC 3551, RFC 7587); undefined when that is not known, or needs no name. */
  readonly codec?: string | undefined
  /** The trunk that it goes over; undefined for phones. */
  readonly trunkId?: string | undefined
  /** Resolves once, for the first thing that ended it. */
  readonly ended: Promise<LegEnd>
  /** Resolves a moment after `ended`; with undefined when no packet came, or another process goes on with it. Missing: it has no packets. */
  readonly quality?: Promise<LegQuality | undefined> | undefined
  readonly audio: Audio
  observe(observer: LegObserver): () => void
  /** Incoming: tells the caller that the callee rings. */
  ring(): void
  /** Incoming: tells the caller that the far end works on it. */
  proceed(): void
  /** Incoming: opens early media, for announcements that cost the caller nothing and for early media of the callee. */
  openEarly(): Promise<void>
  /** Incoming: resolves when the caller has confirmed it. */
  answer(): Promise<void>
  /** Cancels, rejects or hangs up, whichever fits; resolves when the far end confirmed it or did not respond. */
  hangUp(cause: Cause): Promise<void>
  /** Signalled; on hold the far end hears music. Resolves when it agreed. */
  hold(value: boolean): Promise<void>
  /** It takes part in another call than the one that it began with. Missing: its far end does not know calls by their ids. */
  movedTo?(callId: string): void
  /** How another process can go on with it, or end it. Undefined while it rings at the far end, and when neither is possible. */
  dialog(): SavedDialog | undefined
  /**
   * Another process has it: nothing is sent to the far end from now on, neither a BYE nor sound. `ended` resolves, and that is no end of the
   * call with this phone.
   */
  abandon(): void
  /** The far end supports REFER. */
  readonly refers: boolean
  /**
   * Asks the far end to call another party (REFER), or us so that it takes part in the call of another leg (Replaces). Resolves when it
   * reached them; throws when it refuses or fails.
   */
  refer(to: { dialled: string } | { leg: Leg }, observer?: { ringing?: () => void }): Promise<void>
  /** Incoming, not answered yet: from now on a fax terminal takes it, and of this leg only the end is of use. */
  asFax(): FaxLeg
}

/** A call that carries a fax. */
export interface FaxLeg extends Pick<Leg, 'id' | 'answered' | 'observe' | 'hangUp' | 'dialog'> {
  readonly ended: Promise<LegEnd>
  /**
   * From the answer on, whenever that is; resolves when the pages are there, or will not be, or when the leg is gone. Never throws, and hangs
   * up by itself.
   */
  send(fax: FaxToSend, observer?: FaxObserver): Promise<FaxResult>
  /** Incoming: answers with the tones of a fax machine. Resolves like `send`. */
  receive(fax: FaxToReceive, observer?: FaxObserver): Promise<FaxResult>
}

/** What is kept of a leg, as JSON, to go on with it or to end it when its process is gone. Only the adapter reads it. */
export type SavedDialog = Readonly<Record<string, unknown>>

/**
 * Why a leg does not go on in this process:
 * `gone`: the far end does not know the call any more, or does not answer; nothing is left to be told to it.
 * `refused`: the far end is there, but does not agree to go on; it was sent BYE.
 * `impossible`: its connection or its keys were lost with the process, or what was written is not enough; `sayBye` may still reach it.
 * `full`: there is no media port; another process may have one. Nothing was sent.
 */
export type NotResumed = 'gone' | 'refused' | 'impossible' | 'full'

/** One leg of a call that another process had. The leg has the id that it had there. */
export type Resumed = { leg: Leg } | { leg?: undefined; reason: NotResumed }

export interface ResumeOptions {
  /**
   * The far end of the leg with this id agreed. Nothing is sent to it until this resolves: when a living process hands the call over, it
   * stops sending first, so that a phone never gets two streams.
   */
  agreed?: (legId: string) => Promise<void>
}

export interface RecordingFile {
  accountId: string
  id: string
}

/** Legs that hear each other. A leg is in at most one bridge; adding it to another takes it out of the first. */
export interface Bridge {
  add(leg: Leg): void
  remove(leg: Leg): void
  /**
   * What all parties say, in two channels. Whatever is played to a leg that is alone here is in the other channel, announcements are in
   * both, music is not recorded.
   */
  record(file: RecordingFile, left: readonly Leg[]): BridgeRecording
  close(): void
}

export interface IncomingCall {
  /** Given when the caller knows the call by this id already. */
  id?: string
  leg: Leg
  origin: Origin
  /** The user part that was called, as it was dialled. */
  dialled: string
  caller: CallerIdentity
  /** Who it was diverted from, the latest first. */
  diversions: readonly string[]
  /** How often this call went through us before (X-Offhook-Hops), 0 for a new one. */
  hops: number
  /** The leg that this call takes the place of (Replaces). */
  replaces: Leg | undefined
  /** A number of the account that the device shows in this call. */
  shows?: string
  /** It ends after this time, if the limit of all calls is not shorter. */
  maxSeconds?: number
}

export interface Dial {
  caller: CallerIdentity
  diversions: readonly string[]
  /** Written into X-Offhook-Hops as it is. */
  hops: number
  /** The leg it will probably be bridged with: both are carried by the same media worker. */
  near?: Leg
  /** For phones that show more than SIP has a place for. */
  about?: AboutCall
}

/** What a call is to the phone that rings. */
export interface AboutCall {
  callId: string
  /** The number or extension that was called. */
  called: string
  /** The alias of the line or group that rings; empty when there is none. */
  line: string
}

/** Phones that are not reached over SIP, beside those that are. */
export interface OtherPhones {
  dial(device: { accountId: string; deviceId: string }, dial: Dial): Promise<Leg[]>
  reaches(accountId: string, deviceId: string): Promise<boolean>
}

export type DialTarget =
  | { kind: 'device'; accountId: string; deviceId: string }
  /** `number` is E.164, or what was dialled for the rescue services. */
  | { kind: 'trunk'; trunkId: string; number: string; emergency: boolean }

export interface TrunkHealth {
  /** False: it is not registered although it should be, or it does not respond. */
  usable: boolean
  calls: number
}

/** The telephone side: everything that needs SIP or RTP. */
export interface Telephony {
  onIncoming(take: (call: IncomingCall) => void): void
  /**
   * Starts calling: one leg for each binding of the device (none when it is not registered), one for a trunk (none when all its channels
   * are in use, which emergency calls ignore). Throws NoRoom.
   */
  dial(target: DialTarget, dial: Dial): Promise<Leg[]>
  /** Like `dial`, to send a fax. */
  dialFax(target: DialTarget, dial: Dial): Promise<FaxLeg[]>
  /** What has to be installed before there can be faxes, in words for the operator; undefined when nothing is missing. */
  readonly faxMissing: string | undefined
  /** Whether calling the device would make it ring somewhere, as far as is known. */
  reaches(accountId: string, deviceId: string): Promise<boolean>
  bridge(): Bridge
  /**
   * Goes on with the legs of one call that another process had: re-INVITE, with audio from here. In the order of `saved`; what one side had on
   * hold, or muted, still is. In the other process they are abandoned, or it is gone. Never throws.
   */
  resume(saved: readonly SavedDialog[], options?: ResumeOptions): Promise<Resumed[]>
  /** Sends BYE for a leg whose process is gone. Resolves when that was confirmed or got no response. */
  sayBye(dialog: SavedDialog): Promise<void>
  trunkHealth(trunkId: string): TrunkHealth
}
