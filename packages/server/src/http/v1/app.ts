import { Problem } from '@offhook/contract/problem.ts'
import type { AppEvent as AppEventElement, appOperations } from '@offhook/contract/v1/app.ts'
import type { Static } from 'typebox'
import type { AppEvent } from '#core/kernel/ports/store/account.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const appHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof appOperations> => {
  const accountOf = async (accountId: string) => {
    const account = await store.read.accounts.find(accountId)
    if (!account) throw new Problem('account_not_found')
    return account
  }

  return {
    listAppEvents: async ({ caller }) => ({ items: (await store.read.appEvents.list(caller.accountId)).map(toElement) }),

    deleteAppEvent: async ({ caller: { accountId }, params }) => {
      const remaining = await store.write(async (tables) => {
        if (!(await tables.appEvents.remove(accountId, eventId(params.id)))) throw new Problem('not_found')
        return tables.appEvents.list(accountId)
      })
      return { items: remaining.map(toElement) }
    },

    getTacs: async ({ caller }) => ({ accepted: (await accountOf(caller.accountId)).tacsAccepted }),

    setTacs: async ({ caller, body }) =>
      store.write(async (tables) => {
        const { accountId } = caller
        await tables.accounts.setTacsAccepted(accountId, body.accepted ? clock.now() : undefined)
        await auditByUser(tables, clock, caller, body.accepted ? 'tacs.accept' : 'tacs.revoke', accountId)
      }),

    getWelcome: async ({ caller }) => ({ enabled: (await accountOf(caller.accountId)).welcomeEnabled }),

    setWelcome: async ({ caller, body }) => {
      await store.write((tables) => tables.accounts.update(caller.accountId, { welcomeEnabled: body.enabled }))
    },
  }
}

const eventId = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new Problem('not_found')
  return Number(text)
}

const toElement = ({ id, type, name, payload }: AppEvent): Static<typeof AppEventElement> => ({
  eventId: String(id),
  eventType: type,
  eventName: name,
  payload,
})
