import { callsForOthers } from '#core/telephone/call/anywhere/answer-for-calls.ts'
import { CallsAnywhere } from '#core/telephone/call/anywhere/calls-anywhere.ts'
import type { Neighbours } from '#core/kernel/ports/neighbours.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Platform } from './platform.ts'

/** Running calls: those of this process, for which it answers to the others, and through them those of all. */
export const openCalls = (platform: Platform, neighbours: Neighbours, timelines: LiveTimelines): CallsAnywhere => {
  const onError = (error: unknown, callId: string): void => platform.log('call_command_failed', { err: error, callId })
  return new CallsAnywhere({
    ...platform,
    neighbours,
    calls: callsForOthers({ ...platform, neighbours, written: () => timelines.flush(), onError }),
  })
}
