import type { nodeStates } from '@offhook/contract/operator/nodes.ts'
import type { ClusterNode } from '#core/kernel/ports/store/operate/nodes.ts'

/** Six times as long as usual. */
const lostAfterMs = 30_000
/** How long lost processes are shown. */
export const maxSilenceMs = 60 * 60 * 1000

export type NodeState = (typeof nodeStates)[number]

/** `drain`: what the operator wants, which it may not have heard yet. */
export const stateOf = (node: ClusterNode & { drain: boolean }, now: number): NodeState => {
  const { seenAt, drain, draining, stopping, work } = node
  if (now - seenAt > lostAfterMs) return 'GONE'
  if (stopping) return 'STOPPING'
  if (draining && drain && work.calls === 0 && work.faxes === 0) return 'DRAINED'
  return draining || drain ? 'DRAINING' : 'RUNNING'
}
