import { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Settings } from '#settings/config.ts'
import type { Platform } from './platform.ts'

/** Days of retention of timelines; default: as long as recordings; undefined: unlimited. */
export const timelineDays = ({ OFFHOOK_TIMELINE_DAYS: own, OFFHOOK_RECORDINGS_DAYS: recordings }: Settings): number | undefined =>
  own ?? (recordings || undefined)

/** Live timelines of calls. With PostgreSQL other nodes have calls, too. */
export const openTimelines = (settings: Settings, { store, callClock: clock, log, bus }: Platform, peerNodes: PeerNodes): LiveTimelines => {
  const onError = (error: unknown): void => log('call_timeline_failed', { err: error })
  const keeps = timelineDays(settings) !== 0
  const others = settings.DATABASE_URL === undefined ? {} : { others: { bus, peerNodes } }
  return new LiveTimelines({ store, clock, owner: peerNodes.self, keeps, onError, ...others })
}
