import { randomUUID } from 'node:crypto'
import type { operatorTrunkOperations } from '@offhook/contract/operator/trunks.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { readMetrics } from '#core/operate/metrics/read-metrics.ts'
import type { SavedTrunk, Trunk, TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import type { TrunkState } from '#core/kernel/ports/calls.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorTrunkHandlers = ({
  store,
  clock,
  vault,
  wallClock,
  trunkStates,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'vault' | 'trunkStates'>): Handlers<typeof operatorTrunkOperations> => ({
  readTrunkQuality: async ({ query: { minutes = 1440 } }) => {
    const { whole } = await readMetrics(store.read.metrics, wallClock.now(), minutes)
    return { items: whole.trunks.entries.map(([trunkId, figures]) => toQuality(trunkId, figures)) }
  },

  listTrunks: async () => {
    const trunks = await store.read.trunks.list()
    return {
      items: trunks.toSorted((a, b) => a.settings.priority - b.settings.priority).map((trunk) => toReply(trunk, trunkStates.of(trunk.id))),
    }
  },

  createTrunk: async ({ caller, body: { name, password, active = true, ...input } }) => {
    const at = clock.now()
    const trunk: Trunk = {
      id: randomUUID(),
      name,
      settings: trunkSettings(input, { hasPassword: password !== undefined }),
      passwordSealed: password === undefined ? undefined : vault.seal(password),
      active,
      createdAt: at,
      updatedAt: at,
    }
    const note = { chain: 'operator', action: 'trunk.create', target: trunk.id, detail: { name, host: input.host } }
    await auditedWrite(store, clock, caller, note, ({ trunks }) => trunks.insert(trunk))
    return toReply(trunk)
  },

  readTrunk: async ({ params }) => {
    const trunk = await store.read.trunks.find(params.trunkId)
    if (!trunk) throw new Problem('trunk_not_found')
    return toReply(trunk, trunkStates.of(trunk.id))
  },

  updateTrunk: async ({ caller, params, body: { name, password, active = true, ...input } }) => {
    const sealed = typeof password === 'string' ? vault.seal(password) : undefined
    const detail = { name, host: input.host, passwordChanged: password !== undefined }
    const note = { chain: 'operator', action: 'trunk.update', target: params.trunkId, detail }
    await auditedWrite(store, clock, caller, note, async ({ trunks }) => {
      const present = await trunks.find(params.trunkId)
      if (!present) throw new Problem('trunk_not_found')
      const passwordSealed = password === undefined ? present.passwordSealed : sealed
      const settings = trunkSettings(input, { hasPassword: passwordSealed !== undefined })
      if (password === undefined && passwordSealed !== undefined) requireSameHost(settings, present.settings)
      await trunks.update({ id: present.id, name, settings, passwordSealed, active, updatedAt: clock.now() })
    })
  },

  deleteTrunk: async ({ caller, params }) => {
    const note = { chain: 'operator', action: 'trunk.delete', target: params.trunkId }
    await auditedWrite(store, clock, caller, note, async ({ trunks }) => {
      if (!(await trunks.remove(params.trunkId))) throw new Problem('trunk_not_found')
    })
  },
})

/** The stored password answers challenges of the host that it was entered for: another host could crack it from the answers. */
const requireSameHost = (settings: TrunkSettings, { host, outboundProxy = '' }: TrunkSettings): void => {
  if (settings.host !== host || settings.outboundProxy !== outboundProxy)
    throw Problem.field('password', 'must be entered again, or be null: host or outboundProxy leads to another host')
}

const toReply = ({ id, name, settings, passwordSealed, active, createdAt, updatedAt }: Trunk, state?: TrunkState) => ({
  id,
  name,
  outboundProxy: '',
  ...settings,
  strictMaxCalls: settings.strictMaxCalls ?? false,
  emergencyLocation: settings.emergencyLocation ?? false,
  passwordSet: passwordSealed !== undefined,
  active,
  ...(state && { state: { ...state, since: new Date(state.since).toISOString() } }),
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
})

const toQuality = (trunkId: string, { incoming, outgoing, answered, failed, packets, lost, jitterMs }: SavedTrunk) => ({
  trunkId,
  incoming,
  outgoing,
  answered,
  failed,
  ...(packets > 0 && { lossPercent: Math.round((lost / packets) * 1000) / 10, jitterMs: Math.round(jitterMs * 10) / 10 }),
})
