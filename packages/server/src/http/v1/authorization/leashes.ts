import type { Static } from 'typebox'
import type { Leash, leashOperations } from '@offhook/contract/v1/authorization/leashes.ts'
import { getLeash, listLeashes, ownLeash, removeLeash, setLeash, type LeashView } from '#core/account/identity/leashes/leashes.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'

export const leashHandlers = (deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator'>): Handlers<typeof leashOperations> => {
  const { store, clock, authenticator } = deps
  return {
    listLeashes: async ({ caller }) => ({ items: (await listLeashes(store.read, deps, caller)).map(toElement) }),

    getLeash: async ({ caller, params }) => toElement(await getLeash(store.read, deps, caller, params.leashId)),

    setLeash: async ({ caller, params, body }) => {
      await store.write((tables) => setLeash(tables, deps, caller, params.leashId, body))
      authenticator.forget()
    },

    removeLeash: async ({ caller, params }) => {
      await store.write((tables) => removeLeash(tables, clock, caller, params.leashId))
      authenticator.forget()
    },

    getAccess: async ({ caller }) => {
      const leash = await ownLeash(store.read, deps, caller)
      return { scopes: [...caller.scopes], ...(leash && { leash: toElement(leash) }) }
    },
  }
}

const toElement = ({ id, holder, name, rules, used, resetsAt }: LeashView): Static<typeof Leash> => ({
  leashId: id,
  holder,
  name,
  ...rules,
  used,
  resetsAt: new Date(resetsAt).toISOString(),
})
