import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { Bookkeeping, Prepaid } from '../money/prepaid.ts'
import type { Side } from './call-details.ts'
import type { IncomingCallHandler } from './assistant-party.ts'
import type { SavedTrail } from './assistant-trail.ts'
import type { Party } from './party.ts'
import type { CallObserver } from '#core/kernel/ports/calls.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { CallerIdentity, EdgeAttempt, Telephony } from '#core/kernel/ports/telephony.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Calls } from './calls.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { Occupancy } from './occupancy.ts'

/** Dependencies of every call. */
export interface CallContext extends Bookkeeping {
  telephony: Telephony
  calls: Calls
  occupancy: Occupancy
  observers: readonly CallObserver[]
  leases: Leases
  timelines: Pick<LiveTimelines, 'open' | 'findBefore' | 'resume'>
  /** Called after a message was added to the outbox. */
  wake: () => void
  /** Files of recordings and voicemails. */
  recordingFiles: RecordingFiles
  /** Checks quota and disk space for another recording. */
  mayRecord: MayRecord
}

export interface CallOptions {
  /** Set if the originator already knows this id. */
  id?: string
  from: CallerIdentity
  /** Dialled number. */
  to: string
  /** Forwarding hops so far (loop detection). */
  hops?: number
  /** Default: the global call limit. */
  maxSeconds?: number
  /** Arrival time, or the start time on the previous node. Default: now. */
  startedAt?: number
  /** Trace context of the originator. */
  trace?: IncomingTrace | undefined
  /** Set if it came through the edge. */
  attempt?: EdgeAttempt | undefined
}

/** Snapshot of a call taken over from another node. */
export interface CallBefore {
  epoch: number
  /** Unknown fields from a newer version; written back unchanged. */
  unknown: object
  answeredAt: number
  transfers: number
  assistants: SavedTrail
  callHandler: IncomingCallHandler
  sides: readonly Side[]
  parties: readonly { party: Party; orderedBy: string | undefined }[]
  sessions: number
  money: readonly Prepaid[]
}
