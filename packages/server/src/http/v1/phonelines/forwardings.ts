import type { forwardingOperations } from '@offhook/contract/v1/phonelines/forwardings.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { phonelineOf } from '#core/account/lines/find-line.ts'
import { addParallelForwarding, changeParallelForwarding, replaceForwardings } from '#core/account/lines/forwardings.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import type { ParallelForwarding } from '#core/kernel/ports/store/line/phonelines.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

/** Every change is in the audit log: an account that pays for calls wants to know who sent them elsewhere. */
export const forwardingHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof forwardingOperations> => {
  return {
    listForwardings: async ({ caller, params }) => {
      const line = await phonelineOf(store.read, caller.accountId, params)
      return { items: await store.read.phonelines.listForwardings(caller.accountId, line.id) }
    },

    replaceForwardings: ({ caller, params, body }) =>
      store.write(async (tables) => {
        const line = await phonelineOf(tables, caller.accountId, params)
        const forwardings = await replaceForwardings(tables, caller.accountId, line, body.forwardings)
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
        const forwarding = await addParallelForwarding(tables, caller.accountId, line, { alias, destination, active })
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
        const forwarding = await changeParallelForwarding(tables, caller.accountId, line, rowId(params.parallelForwardingId), body)
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
