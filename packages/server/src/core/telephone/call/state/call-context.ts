import type { CallObserver } from '#core/kernel/ports/call-observer.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Telephony } from '#core/kernel/ports/telephony.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Calls } from './calls.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { Occupancy } from './occupancy.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** What every call works with. */
export interface CallContext extends RecordWriter {
  telephony: Telephony
  calls: Calls
  occupancy: Occupancy
  observers: readonly CallObserver[]
  leases: Leases
  timelines: Pick<LiveTimelines, 'open' | 'findBefore' | 'resume'>
  /** Something was put into the outbox. */
  wake: () => void
  /** What calls leave behind … */
  recordingFiles: RecordingFiles
  /** … and whether there is room for more of it. */
  mayRecord: MayRecord
}
