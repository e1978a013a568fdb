import type { settingsOperations } from '@offhook/contract/v1/settings.ts'
import { changePush, noPush } from '../../core/push/change-push.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const settingsHandlers = ({ store, clock }: Parts): Handlers<typeof settingsOperations> => ({
  getSvcio: async ({ caller }) => {
    const { whitelist = null, ...setting } = (await store.read.pushSettings.find(caller.accountId)) ?? noPush
    return { ...setting, whitelist }
  },

  setSvcio: async ({ caller, body }) => store.write((tables) => changePush(tables, clock, caller, body)),
})
