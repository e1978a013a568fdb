import type { settingsOperations } from '@offhook/contract/v1/settings.ts'
import { changePush, noPush } from '#core/telephone/push/change-push.ts'
import { addPushSecret, pushSecretsInForce, removePushSecret } from '#core/telephone/push/push-secrets.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { toSecretElement } from '../handler/secret-element.ts'

export const settingsHandlers = ({
  store,
  clock,
  vault,
  pushKey,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'pushKey'>): Handlers<typeof settingsOperations> => ({
  getSvcio: async ({ caller }) => {
    const { whitelist = null, ...setting } = (await store.read.pushSettings.find(caller.accountId)) ?? noPush
    return { ...setting, whitelist }
  },

  setSvcio: async ({ caller, body }) => store.write((tables) => changePush(tables, clock, caller, body)),

  listSvcioSecrets: async ({ caller }) => ({
    items: (await pushSecretsInForce(store.read, caller.accountId, clock.now())).map(toSecretElement),
  }),

  createSvcioSecret: async ({ caller }) => {
    const { kept, secret } = await store.write((tables) => addPushSecret(tables, { clock, vault }, caller))
    return { ...toSecretElement(kept), secret }
  },

  deleteSvcioSecret: async ({ caller, params }) => store.write((tables) => removePushSecret(tables, clock, caller, params.secretId)),

  getSvcioPublicKey: async () => ({ publicKey: await pushKey.publicKey() }),
})
