import type { nodeStates } from '@offhook/contract/operator/nodes.ts'
import type { ClusterNode } from '#core/kernel/ports/store/operate.ts'

/** Six times the usual interval. */
const lostAfterMs = 30_000
/** Milliseconds for which lost processes are shown. */
export const maxSilenceMs = 60 * 60 * 1000

type NodeState = (typeof nodeStates)[number]

/** `drain`: requested by the operator, possibly not yet received by the process. */
export const stateOf = (node: ClusterNode & { drain: boolean }, now: number): NodeState => {
  const { seenAt, drain, draining, stopping, work } = node
  if (now - seenAt > lostAfterMs) return 'GONE'
  if (stopping) return 'STOPPING'
  if (draining && drain && work.calls === 0 && work.faxes === 0) return 'DRAINED'
  return draining || drain ? 'DRAINING' : 'RUNNING'
}
