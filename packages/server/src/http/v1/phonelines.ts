import type { phonelineOperations } from '@offhook/contract/v1/phonelines.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { phonelineOf, voicemailOf } from '#core/account/lines/find-line.ts'
import { createPhoneline, deletePhoneline } from '#core/account/lines/phoneline.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { phonelineSvcioOperations } from '@offhook/contract/v1/phonelines/svcio.ts'
import { requirePushUrl } from '#core/telephone/push/change-push.ts'
import { toPushLogElement } from '#http/handler/push-log-element.ts'
import type { phonelineVoicemailOperations } from '@offhook/contract/v1/phonelines/voicemails.ts'
import { addGreeting, chooseGreeting, removeGreeting } from '#core/account/lines/greetings.ts'
import { readGreeting } from '#core/account/lines/greetings.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import { greetingWithContent, toGreetingElement, toVoicemailItem, toVoicemailItems } from './voicemails/voicemail-elements.ts'
import type { forwardingOperations } from '@offhook/contract/v1/phonelines/forwardings.ts'
import { addParallelForwarding, changeParallelForwarding, replaceForwardings } from '#core/account/lines/forwardings.ts'
import type { ParallelForwarding } from '#core/kernel/ports/store/line.ts'

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
        // Administrators may add a colleague's device; users only their own.
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

const logLength = 100

const phonelineSvcioHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof phonelineSvcioOperations> => ({
  getPhonelineSvcio: async ({ caller, params }) => {
    const { incomingUrl, outgoingUrl } = await phonelineOf(store.read, caller.accountId, params)
    return { incomingUrl, outgoingUrl }
  },

  setPhonelineSvcio: async ({ caller, params, body: { incomingUrl, outgoingUrl } }) => {
    requirePushUrl('incomingUrl', incomingUrl)
    requirePushUrl('outgoingUrl', outgoingUrl)
    await store.write(async (tables) => {
      const line = await phonelineOf(tables, caller.accountId, params)
      await tables.phonelines.update(caller.accountId, line.id, { incomingUrl, outgoingUrl })
      await auditByUser(tables, clock, caller, 'phoneline.svcio', line.id)
    })
  },

  listPhonelineSvcioLog: async ({ caller, params }) => {
    const line = await phonelineOf(store.read, caller.accountId, params)
    const exchanges = await store.read.pushExchanges.list(caller.accountId, { line: line.id, limit: logLength })
    return { items: exchanges.map(toPushLogElement) }
  },
})

const phonelineVoicemailHandlers = ({
  store,
  clock,
  speech,
}: Pick<HandlerDeps, 'store' | 'clock' | 'speech'>): Handlers<typeof phonelineVoicemailOperations> => ({
  listPhonelineVoicemails: async ({ caller, params }) => {
    const line = await phonelineOf(store.read, caller.accountId, params)
    const addresses = { userId: params.userId, base: `/v1/${params.userId}/phonelines/${line.id}/voicemails` }
    return toVoicemailItems({ store, speech }, caller.accountId, line.id, addresses)
  },

  getPhonelineVoicemail: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    const addresses = { userId: params.userId, base: `/v1/${params.userId}/phonelines/${voicemail.owner}/voicemails` }
    return toVoicemailItem({ store, speech }, caller.accountId, voicemail, addresses)
  },

  changePhonelineVoicemail: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      await tables.voicemails.update(caller.accountId, voicemail.id, body)
    }),

  listPhonelineGreetings: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    const greetings = await store.read.voicemails.greetings(caller.accountId, voicemail.id)
    return { items: greetings.map(toGreetingElement) }
  },

  createPhonelineGreeting: async ({ caller, params, body }) => {
    const sound = readGreeting(body.base64Content)
    const greeting = await store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      return addGreeting(tables, clock, caller.accountId, { voicemail: voicemail.id, alias: body.alias, sound })
    })
    return toGreetingElement(greeting)
  },

  getPhonelineGreeting: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    return greetingWithContent(store, caller.accountId, voicemail.id, params.greetingId)
  },

  changePhonelineGreeting: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      const choice = { voicemail: voicemail.id, id: rowId(params.greetingId), active: body.active }
      await chooseGreeting(tables, caller.accountId, choice)
    }),

  deletePhonelineGreeting: ({ caller, params }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      await removeGreeting(tables, caller.accountId, voicemail.id, rowId(params.greetingId))
    }),
})

/** Every change is in the audit log: an account that pays for calls must know who redirected them. */
const forwardingHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof forwardingOperations> => {
  return {
    listForwardings: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return { items: await store.read.phonelines.listForwardings(caller.accountId, line.id) }
    },

    replaceForwardings: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const forwardings = await replaceForwardings(tables, caller.accountId, line, body.forwardings, clock.now())
        await auditByUser(tables, clock, caller, 'phoneline.forward', line.id, { forwardings })
      }),

    listParallelForwardings: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      const found = await store.read.phonelines.listParallelForwardings(caller.accountId, line.id)
      return { items: found.map(toElement) }
    },

    createParallelForwarding: async ({ caller, params, body }) => {
      const { alias, destination, active = true } = body
      return store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const forwarding = await addParallelForwarding(tables, caller.accountId, line, { alias, destination, active }, clock.now())
        await auditByUser(tables, clock, caller, 'phoneline.forward_parallel', line.id, forwarding)
        return toElement(forwarding)
      })
    },

    getParallelForwarding: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      const id = rowId(params.parallelForwardingId)
      const forwarding = await store.read.phonelines.findParallelForwarding(caller.accountId, line.id, id)
      if (!forwarding) throw new Problem('not_found')
      return toElement(forwarding)
    },

    changeParallelForwarding: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const forwarding = await changeParallelForwarding(
          tables,
          caller.accountId,
          line,
          rowId(params.parallelForwardingId),
          body,
          clock.now(),
        )
        await auditByUser(tables, clock, caller, 'phoneline.forward_parallel', line.id, forwarding)
      }),

    deleteParallelForwarding: ({ caller, params }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const id = rowId(params.parallelForwardingId)
        if (!(await tables.phonelines.removeParallelForwarding(caller.accountId, line.id, id))) throw new Problem('not_found')
        await auditByUser(tables, clock, caller, 'phoneline.forward_parallel_end', line.id, { id })
      }),
  }
}

const toElement = ({ id, alias, destination, active }: ParallelForwarding) => ({ id: String(id), alias, destination, active })
