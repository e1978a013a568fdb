import { callsForOthers } from '#core/telephone/call/cluster/answer-for-calls.ts'
import { ClusterCalls } from '#core/telephone/call/cluster/calls-anywhere.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Platform } from './platform.ts'

/** Running calls: those of this process, for which it answers to the others, and through them those of all. */
export const openCalls = (platform: Platform, peerNodes: PeerNodes, timelines: LiveTimelines): ClusterCalls => {
  const onError = (error: unknown, callId: string): void => platform.log('call_command_failed', { err: error, callId })
  return new ClusterCalls({
    ...platform,
    neighbours: peerNodes,
    calls: callsForOthers({ ...platform, neighbours: peerNodes, written: () => timelines.flush(), onError }),
  })
}
