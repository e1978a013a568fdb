import type { operatorInstallationOperations } from '@offhook/contract/operator/installation.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { billingOf, setBilling } from '#core/money/billing.ts'
import { defaultCountries } from '#core/money/rates.ts'
import { defaultLimits } from '#core/money/limits.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorInstallationHandlers = ({
  installation,
  sandbox,
  store,
  clock,
}: Pick<HandlerDeps, 'installation' | 'sandbox' | 'store' | 'clock'>): Handlers<typeof operatorInstallationOperations> => ({
  readInstallation: async () => {
    const { publicUrl, carrierCode, country, currency } = installation
    return { publicUrl: publicUrl(), carrierCode, country, currency, sandbox: sandbox !== undefined }
  },

  readInstallationLimits: async () => {
    const { perDay = defaultLimits.perDay, paidCalls = defaultLimits.paidCalls, opened } = await store.read.limits.ofInstallation()
    return { perDay, paidCalls, opened: [...opened], usuallyOpen: [...defaultCountries] }
  },

  setInstallationLimits: async ({ caller, body }) => {
    const note = { chain: 'operator', action: 'limits.update', target: 'installation', detail: body }
    const { perDay, paidCalls, opened = [] } = body
    await auditedWrite(store, clock, caller, note, (tables) => tables.limits.setOfInstallation({ perDay, paidCalls, opened }))
  },

  readBilling: () => billingOf(store.read),

  setBilling: async ({ caller, body }) => {
    const note = { chain: 'operator', action: 'billing.update', target: 'installation', detail: body }
    await auditedWrite(store, clock, caller, note, (tables) => setBilling(tables, body))
  },
})
