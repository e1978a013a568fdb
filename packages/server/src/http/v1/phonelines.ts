import type { phonelineOperations } from '@offhook/contract/v1/phonelines.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { phonelineOf } from '#core/account/lines/find-line.ts'
import { createPhoneline, deletePhoneline } from '#core/account/lines/phoneline.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { forwardingHandlers } from './phonelines/forwardings.ts'
import { phonelineSvcioHandlers } from './phonelines/svcio.ts'
import { phonelineVoicemailHandlers } from './phonelines/voicemails.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export const phonelineHandlers = (deps: Pick<HandlerDeps, 'store' | 'clock' | 'speech'>): Handlers<typeof phonelineOperations> => {
  const { store, clock } = deps
  return {
    ...forwardingHandlers(deps),
    ...phonelineSvcioHandlers(deps),
    ...phonelineVoicemailHandlers(deps),

    listPhonelines: async ({ caller, params }) => {
      const lines = await store.read.phonelines.list(caller.accountId, params.userId)
      return { items: lines.map(({ id, alias }) => ({ id, alias })) }
    },

    createPhoneline: async ({ caller, params, body }) => {
      const { alias } = body
      const id = await store.write(async (tables) => {
        const created = await createPhoneline(tables, clock, caller.accountId, { owner: params.userId, alias })
        await auditByUser(tables, clock, caller, 'phoneline.create', created, { owner: params.userId })
        return created
      })
      return { id, alias }
    },

    getPhoneline: async ({ caller, params }) => {
      const { id, alias } = await phonelineOf(store.read, caller.accountId, params)
      return { id, alias }
    },

    changePhoneline: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        await tables.extensions.setAlias(caller.accountId, line.id, body.alias)
      }),

    deletePhoneline: ({ caller, params }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        await deletePhoneline(tables, clock, caller.accountId, line)
        await auditByUser(tables, clock, caller, 'phoneline.delete', line.id)
      }),

    getBlockAnonymous: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return { enabled: line.blockAnonymous, target: line.blockAnonymousTarget }
    },

    setBlockAnonymous: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const { enabled, target = line.blockAnonymousTarget } = body
        await tables.phonelines.update(caller.accountId, line.id, { blockAnonymous: enabled, blockAnonymousTarget: target })
      }),

    getBusyOnBusy: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return { enabled: line.busyOnBusy }
    },

    setBusyOnBusy: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        await tables.phonelines.update(caller.accountId, line.id, { busyOnBusy: body.enabled })
      }),

    listPhonelineDevices: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return { items: await store.read.phonelines.devices(caller.accountId, line.id) }
    },

    addPhonelineDevice: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const device = await tables.devices.find(caller.accountId, body.deviceId)
        if (!device) throw new Problem('device_not_found')
        // Administrators may let a colleague's device ring; users only their own.
        if (device.owner !== line.owner && !caller.admin) throw new Problem('forbidden', 'This device belongs to another user.')
        await tables.phonelines.addDevice(caller.accountId, line.id, device.id)
      }),

    removePhonelineDevice: ({ caller, params }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        if (!(await tables.phonelines.removeDevice(caller.accountId, line.id, params.deviceId))) throw new Problem('device_not_found')
      }),

    listPhonelineNumbers: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return toNumberItems(store, caller.accountId, await store.read.numbers.listByEndpoint(caller.accountId, line.id))
    },
  }
}
