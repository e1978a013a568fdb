import type { operatorCarrierOperations } from '@offhook/contract/operator/carriers.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { Carrier } from '#core/kernel/ports/store/number.ts'
import { newWebhookSecret, signWebhook } from '#core/kernel/webhook/standard-webhooks.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorCarrierHandlers = ({
  store,
  clock,
  vault,
  installation,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation'>): Handlers<typeof operatorCarrierOperations> => {
  const note = (action: string, target: string) => ({ chain: 'operator', action, target })
  return {
    listCarriers: async () => ({ items: (await store.read.carriers.list()).map(toElement) }),

    createCarrier: async ({ caller, body }) => {
      const { code, name, url, secret = newWebhookSecret() } = body
      if (code === installation.carrierCode) throw Problem.field('code', 'is our own')
      requireReachable(url)
      requireUsable(secret)
      const carrier = { code, name, url, secretSealed: vault.seal(secret) }
      await auditedWrite(store, clock, caller, note('carrier.create', code), async (tables) => {
        if (!(await tables.carriers.insert(carrier, clock.now()))) throw Problem.field('code', 'is taken', 'already_exists')
      })
      return { code, ...(body.secret === undefined && { secret }) }
    },

    readCarrier: async ({ params }) => {
      const carrier = await store.read.carriers.find(params.carrierCode)
      if (!carrier) throw new Problem('carrier_not_found')
      return toElement(carrier)
    },

    updateCarrier: async ({ caller, params, body }) => {
      const { secret, ...change } = body
      if (change.url !== undefined) requireReachable(change.url)
      if (secret !== undefined) requireUsable(secret)
      const sealed = secret === undefined ? change : { ...change, secretSealed: vault.seal(secret) }
      await auditedWrite(store, clock, caller, note('carrier.update', params.carrierCode), async (tables) => {
        if (!(await tables.carriers.update(params.carrierCode, sealed))) throw new Problem('carrier_not_found')
      })
    },

    deleteCarrier: async ({ caller, params }) => {
      const code = params.carrierCode
      await auditedWrite(store, clock, caller, note('carrier.delete', code), async (tables) => {
        if (await tables.portings.hasOpenWith(code)) throw new Problem('conflict', 'An open porting needs this carrier.')
        if (!(await tables.carriers.remove(code))) throw new Problem('carrier_not_found')
      })
    },
  }
}

const toElement = ({ code, name, url }: Carrier) => ({ code, name, url })

/** Checked now, because an address that our egress rules forbid would only fail with the first porting. */
const requireReachable = (url: string): void => {
  if (!isWebAddress(url)) throw Problem.field('url', 'must be an http or https address without a user name or password')
}

/** Checked now, because a secret that cannot sign would only fail with the first porting. */
const requireUsable = (secret: string): void => {
  try {
    signWebhook({ id: 'check', timestampSeconds: 0, body: '', secrets: [secret] })
  } catch {
    throw Problem.field('secret', 'must be whsec_ and 24 to 64 bytes in base64')
  }
}
