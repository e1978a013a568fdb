import type { operatorEdgeOperations } from '@offhook/contract/operator/edge.ts'
import { carriersFile, processesFile } from '#core/operate/nodes/edge-files.ts'
import { maxSilenceMs } from '#core/operate/nodes/node-state.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const operatorEdgeHandlers = ({
  store,
  wallClock,
  trunkStates,
}: Pick<HandlerDeps, 'store' | 'wallClock' | 'trunkStates'>): Handlers<typeof operatorEdgeOperations> => ({
  listEdgeCarriers: async () => carriersFile(await store.read.trunks.list(), (trunkId) => trunkStates.hostsOf(trunkId)),

  listEdgeProcesses: async () => {
    const now = wallClock.now()
    return processesFile(await store.read.nodes.list(now - maxSilenceMs), now)
  },
})
