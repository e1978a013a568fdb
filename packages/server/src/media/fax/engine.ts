import type { PortPool } from '../socket/port-pool.ts'
import type { SocketAddress } from '../socket/socket.ts'

/** Address of the far end, and its other accepted sources: as in StreamSettings. */
export interface FaxRemote {
  remote: SocketAddress
  alsoFrom: readonly string[]
}

/** RTP with G.711. */
export interface FaxAudioSettings extends FaxRemote {
  codec: 'PCMA' | 'PCMU'
  /** Default: 8 and 0. */
  payloadType?: number
}

/** Negotiated UDPTL parameters (T.38 annex D). Missing ones have the defaults of T.38. */
export interface FaxT38Settings extends FaxRemote {
  /** T38MaxBitRate of the far end. Default: 14400. */
  maxBitRate?: number
  /** T38FaxMaxDatagram of the far end: the maximum size of our packets. */
  maxDatagram?: number
  /** T38FaxRateManagement. Default: `transferredTCF`. */
  rateManagement?: 'transferredTCF' | 'localTCF'
  /** T38FaxUdpEC of the far end: the scheme that it can read. FEC is understood, but never sent. */
  errorRecovery?: 'redundancy' | 'none'
}

export interface FaxSendJob {
  /** Path of a TIFF with one bit per pixel. */
  file: string
  /** Counted from 0. */
  firstPage: number
  /** At most 20 digits, spaces and +. */
  station: string
  /** At most 50 characters; empty for none. */
  header: string
}

export interface FaxReceiveJob {
  /** Path of the TIFF to write. */
  file: string
  station: string
}

/** Result of T.30. */
export interface FaxOutcome {
  /** Result code of libspandsp: 0 is success. Undefined: the engine died, or T.30 never began. */
  code: number | undefined
  /** Pages confirmed by the far end, or received completely; of this stream only. */
  pages: number
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio'
  station: string
}

export interface FaxStreamObserver {
  /** One more page is sent or received. Counted from the first one of this stream. */
  page?(pages: number): void
}

/**
 * One fax call: one socket, one T.30 machine. The transport may be set before or after the job; T.30 begins when both are known. All
 * methods may be called at any time; after `close` they are ignored.
 */
export interface FaxStream {
  readonly localPort: number
  /**
   * T.30 can no longer restart: pages are under way. From here on another kind of transport must be rejected (488); the same kind at
   * another address is fine.
   */
  readonly settled: boolean
  /** Switches to RTP. T.30 continues at another address or codec, and restarts after T.38. */
  audio(settings: FaxAudioSettings): void
  /** Switches to UDPTL on the same port. T.30 continues at another address, and restarts after audio. */
  t38(settings: FaxT38Settings): void
  /** Resolves at the end, also after `close`; never throws. Call one of both, once. The last tones are sent by then: hang up. */
  send(job: FaxSendJob, observer?: FaxStreamObserver): Promise<FaxOutcome>
  receive(job: FaxReceiveJob, observer?: FaxStreamObserver): Promise<FaxOutcome>
  /** Ends the call: the file has the pages received so far. Resolves when the port is free. */
  close(): Promise<void>
}

/** Faxes in separate processes: a crash of the fax library affects no other part. */
export interface FaxEngine {
  /** Missing installation, as a text for the operator; undefined when complete. Rechecked until it is complete. */
  readonly missing: string | undefined
  /** `address`: default that of the engine. Throws FaxUnavailable, or MediaFull when no port is left. */
  open(calling: boolean, address?: string): Promise<FaxStream>
  close(): Promise<void>
}

export interface FaxEngineSettings {
  /** Local address; `::` accepts IPv4 too. */
  address: string
  /** Shared with all other media of this process. */
  ports: PortPool
  /** Faxes per process. Default: 8. */
  faxesPerProcess?: number
  /** Lifetime of an idle process. Default: 30 s. */
  idleMs?: number
  /** Milliseconds until an ending process is killed. Default: 3 s. */
  endMs?: number
  /** A process that misses this many health checks in a row is ended. Default: 5 of 2 s. */
  watch?: { intervalMs: number; misses: number }
  /** Reason why fax is disabled, even if the library is installed. */
  without?: string
  processStarted?(pid: number): void
  /** Its faxes end with code undefined. */
  processDied?(why: string): void
  /** An internal error: only this fax ends, with code undefined. */
  faxFailed?(why: string): void
}

/** The library is missing, or its process cannot be started. */
export class FaxUnavailable extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'FaxUnavailable'
  }
}
