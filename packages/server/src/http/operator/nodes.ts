import type { operatorNodeOperations } from '@offhook/contract/operator/nodes.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { maxSilenceMs, stateOf } from '#core/operate/nodes/node-state.ts'
import type { ClusterNode } from '#core/kernel/ports/store/operate.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorNodeHandlers = ({
  store,
  clock,
  wallClock,
  presence,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'presence'>): Handlers<typeof operatorNodeOperations> => ({
  listNodes: async () => {
    const now = wallClock.now()
    const nodes = await store.read.nodes.list(now - maxSilenceMs)
    return { items: nodes.map((node) => toReply(node, { now, self: presence.id })) }
  },

  drainNode: async ({ caller, params: { nodeId }, body: { value } }) => {
    const note = { chain: 'operator', action: value ? 'node.drain' : 'node.undrain', target: nodeId }
    const now = wallClock.now()
    await auditedWrite(store, clock, caller, note, async ({ nodes }) => {
      const node = (await nodes.list(now - maxSilenceMs)).find(({ id }) => id === nodeId)
      if (!node) throw new Problem('node_not_found')
      const state = stateOf(node, now)
      if (state === 'GONE' || state === 'STOPPING') throw new Problem('conflict', 'The process is stopping or gone.')
      await nodes.setDrain(nodeId, value)
    })
    if (nodeId === presence.id) await presence.look()
  },
})

const toReply = (node: ClusterNode & { drain: boolean }, { now, self }: { now: number; self: string }) => {
  const { id, name, version, http, sip, startedAt, seenAt, work } = node
  const { calls, sessions, faxes, bus = 'none', region, ...load } = work
  return {
    id,
    name,
    version,
    http,
    sip,
    ...(region !== undefined && { region }),
    self: id === self,
    state: stateOf(node, now),
    bus,
    startedAt: new Date(startedAt).toISOString(),
    seenAt: new Date(seenAt).toISOString(),
    calls,
    sessions,
    faxes,
    load,
  }
}
