import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { listenEnds, listenPath, type ListenOrder } from '@offhook/contract/v3/listen.ts'
import type { RawData, WebSocket } from 'ws'
import { Relay } from '#core/assistant/delivery/listeners/relay.ts'
import { maxReplyBytes } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'
import type { Gate } from '../gate/gate.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import type { Upgrade, Upgrades } from '../gate/upgrades.ts'

/** A user who could redirect the events by changing the flow may also receive them. */
const needs = { scopes: ['all'], permission: 'CAN_CHANGE_FLOWS' } as const
const pollIntervalMs = 5_000
/** Maximum per account: one for each flow under development. */
const maxListeners = 100
/** A reply is a string inside JSON, where quotes take two characters; audio, which makes it long, has none. */
const maxBytes = maxReplyBytes + maxReplyBytes / 8

/** WebSocket where developers' machines receive the events of a flow. */
export const mountListenUpgrade = (
  upgrades: Upgrades,
  gate: Gate,
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'listeners'>,
): void => {
  const findFlow = async ({ accountId }: UserCaller, flowId: string): Promise<Flow> => {
    const flow = flowId.includes('\0') ? undefined : await deps.store.read.flows.find(accountId, flowId)
    if (!flow) throw new Problem('flow_not_found')
    return flow
  }
  const places = new FairQueue({ maxRunningPerKey: maxListeners, maxWaiting: 0 })
  const enter = async (upgrade: Upgrade): Promise<void> => {
    const asking = { headers: upgrade.request.headers, ip: upgrade.ip }
    const admit = async (): Promise<{ caller: UserCaller; flow: Flow }> => {
      const caller = await gate.admitSocket(asking, { ...needs, params: upgrade.params })
      return { caller, flow: await findFlow(caller, upgrade.params.aiFlowId ?? '') }
    }
    const { caller, flow } = await admit()
    const to = readTarget(upgrade.query.get('to'))
    const place = upgrade.socket.destroyed ? undefined : places.enter(caller.accountId)
    if (!place) throw new Problem('rate_limited', `An account can listen with at most ${maxListeners} connections; close one first.`)
    upgrade.socket.once('close', () => place.leave())
    await deps.store.write((tables) => auditByUser(tables, deps.clock, caller, 'flow.listen', flow.id))
    const client = await upgrade.accept()
    listenOn(client, deps, { caller, flow, to, stillMay: async () => void (await admit()) })
  }
  upgrades.add({ path: listenPath, maxBytes, enter })
}

interface Listening {
  caller: UserCaller
  flow: Flow
  to: string | undefined
  /** Throws a Problem if no longer allowed. */
  stillMay: () => Promise<void>
}

const listenOn = (
  client: WebSocket,
  { listeners, wallClock: clock }: Pick<HandlerDeps, 'listeners' | 'wallClock'>,
  { caller, flow, to, stillMay }: Listening,
): void => {
  const send = (order: ListenOrder): void => client.send(JSON.stringify(order))
  const connection = {
    send: (text: string, sent: () => void) => client.send(text, (error) => (error ? undefined : sent())),
    waiting: () => client.bufferedAmount,
    close: (code: number, reason: string) => client.close(code, reason.replaceAll(/[^ -~]/g, '?').slice(0, 120)),
  }
  const relay = new Relay({ id: randomUUID(), to, clock, connection })
  client.on('message', (data: RawData, isBinary) =>
    isBinary ? relay.end(listenEnds.misunderstood, 'a message must be text') : relay.said((data as Buffer).toString()),
  )
  const look = (): void => {
    stillMay().then(() => send({ type: 'alive' }), endFor(relay))
    cancel = clock.after(pollIntervalMs, look)
  }
  let cancel = clock.after(pollIntervalMs, look)
  send({ type: 'ready', flowId: flow.id, flowName: flow.name })
  const leave = listeners.add(caller.accountId, flow.id, relay)
  client.once('close', () => {
    cancel()
    leave()
    relay.broke()
  })
}

/** A client with a revoked token gets no more events; a short database outage does not disconnect it. */
const endFor =
  (relay: Relay) =>
  (error: unknown): void => {
    if (!(error instanceof Problem) || ![401, 403, 404].includes(error.status)) return
    relay.end(error.status === 404 ? listenEnds.flowGone : listenEnds.refused, error.message)
  }

const readTarget = (to: string | null): string | undefined => {
  if (to === null) return undefined
  if (to.length > 2000 || !isWebAddress(to)) throw Problem.field('to', 'must be an http or https address without a user name')
  return to
}
