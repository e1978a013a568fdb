import type { PortPool } from '../socket/port-pool.ts'
import type { SocketAddress } from '../socket/socket.ts'

/** How the far end is reached, and which other sources may be it: as in StreamSettings. */
export interface FaxRemote {
  remote: SocketAddress
  alsoFrom: readonly string[]
}

/** RTP with G.711. */
export interface FaxAudioSettings extends FaxRemote {
  codec: 'PCMA' | 'PCMU'
  /** 8 and 0 if nothing is said. */
  payloadType?: number
}

/** UDPTL, as it was agreed on (T.38 annex D). Whatever is missing has the value that T.38 gives it. */
export interface FaxT38Settings extends FaxRemote {
  /** T38MaxBitRate of the far end: 14400. */
  maxBitRate?: number
  /** T38FaxMaxDatagram of the far end: nothing larger is sent to it. */
  maxDatagram?: number
  /** T38FaxRateManagement: `transferredTCF`. */
  rateManagement?: 'transferredTCF' | 'localTCF'
  /** T38FaxUdpEC of the far end: what it can read. FEC is understood, but never sent. */
  errorRecovery?: 'redundancy' | 'none'
}

export interface FaxSendJob {
  /** Path of a TIFF with one bit for each pixel. */
  file: string
  /** Counted from 0. */
  firstPage: number
  /** At most 20 digits, spaces and +. */
  station: string
  /** At most 50 characters; empty for none. */
  header: string
}

export interface FaxReceiveJob {
  /** Path of the TIFF that is written. */
  file: string
  station: string
}

/** How T.30 ended. */
export interface FaxOutcome {
  /** As libspandsp numbers them: 0 is success. Undefined: the engine died, or T.30 never began. */
  code: number | undefined
  /** Confirmed by the far end, or complete here; of this stream only. */
  pages: number
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio'
  station: string
}

export interface FaxStreamObserver {
  /** One more page is over there, or here. Counted from the first one of this stream. */
  page?(pages: number): void
}

/**
 * One fax call: one socket, one T.30 machine. The transport may be set before or after the job; T.30 begins when both are known. Everything may be
 * called at any time; after `close` nothing has an effect.
 */
export interface FaxStream {
  readonly localPort: number
  /**
   * T.30 has come so far that it cannot begin anew: pages are under way. From here on another kind of transport must be refused (488); the same
   * kind at another address is fine.
   */
  readonly settled: boolean
  /** From now on over RTP. Another address or codec: T.30 goes on. After T.38: it begins anew. */
  audio(settings: FaxAudioSettings): void
  /** From now on over UDPTL, on the same port. Another address: T.30 goes on. After audio: it begins anew. */
  t38(settings: FaxT38Settings): void
  /** Resolves when it is over, also by `close`; never throws. One of both, once. The last tones are out by then: hang up. */
  send(job: FaxSendJob, observer?: FaxStreamObserver): Promise<FaxOutcome>
  receive(job: FaxReceiveJob, observer?: FaxStreamObserver): Promise<FaxOutcome>
  /** The call is over: what was received until now is in the file. Resolves when the port is free. */
  close(): Promise<void>
}

/** Faxes, in processes of their own: the library behind it may die without hurting anything else. */
export interface FaxEngine {
  /** What has to be installed first, in words for the operator; undefined when nothing is. Looked at anew until it is there. */
  readonly missing: string | undefined
  /** Throws FaxUnavailable, or MediaFull when no port is left. */
  open(calling: boolean): Promise<FaxStream>
  close(): Promise<void>
}

export interface FaxEngineSettings {
  /** An address of this machine; `::` takes IPv4 too. */
  address: string
  /** Shared with whatever else this process sends sound from. */
  ports: PortPool
  /** How many faxes share a process: 8. */
  faxesPerProcess?: number
  /** A process without a fax ends after this time: 30 s. */
  idleMs?: number
  /** One that is to end, and has not after this time, is killed: 3 s. */
  endMs?: number
  /** A process that misses this many health checks in a row is ended: 5 of 2 s. */
  watch?: { everyMs: number; misses: number }
  /** Why there shall be no faxes, even if the library is there. */
  without?: string
  processStarted?(pid: number): void
  /** Its faxes ended with code undefined. */
  processDied?(why: string): void
  /** A fault of ours: this one ended with code undefined, and no other. */
  faxFailed?(why: string): void
}

/** There is no library, or its process cannot be started. */
export class FaxUnavailable extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'FaxUnavailable'
  }
}
