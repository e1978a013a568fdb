import type { settingsOperations } from '@offhook/contract/v1/settings.ts'
import { changePush, noPush } from '#core/telephone/push/change-push.ts'
import { addPushSecret, pushSecretsInForce, removePushSecret } from '#core/telephone/push/push-key.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toSecretElement } from '../handler/secret-element.ts'
import type { recordingRuleOperations } from '@offhook/contract/v1/settings/recording-rule.ts'
import { setRecordingRule } from '#core/account/numbers/recording-rule.ts'
import type { retentionOperations } from '@offhook/contract/v1/settings/retention.ts'
import { changeRetention, retentionOf } from '#core/account/retention/retention.ts'

export const settingsHandlers = ({
  store,
  clock,
  vault,
  pushKey,
  installation,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'pushKey' | 'installation' | 'wake'>): Handlers<typeof settingsOperations> => ({
  ...recordingRuleHandlers({ store, clock }),
  ...retentionHandlers({ store, clock, installation, wake }),

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

const recordingRuleHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof recordingRuleOperations> => ({
  getRecordingRule: async ({ caller: { accountId } }) => {
    const { recordingRules } = store.read
    return { rule: (await recordingRules.find(accountId)) ?? 'none', numbers: await recordingRules.listNumbers(accountId) }
  },

  setRecordingRule: ({ caller, body: { rule } }) => store.write((tables) => setRecordingRule(tables, clock, caller, rule)),
})

const retentionHandlers = ({
  store,
  clock,
  installation: { retention: limits },
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'installation' | 'wake'>): Handlers<typeof retentionOperations> => ({
  getRetention: ({ caller }) => retentionOf(store.read, limits, caller.accountId),

  setRetention: async ({ caller, body }) => {
    await store.write((tables) => changeRetention(tables, { clock, limits }, caller, body))
    wake()
  },
})
