import { Problem } from '@offhook/contract/problem.ts'
import type { CarrierCaller } from '../identity/caller/caller.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { verifyWebhook, type WebhookHeaders } from '#core/kernel/webhook/standard-webhooks.ts'

/** Identifies the carrier that signed this body; the same rejection for an unknown carrier and a wrong signature. */
export const identifyCarrier = async (
  { store, vault, clock }: { store: Store; vault: Vault; clock: Clock },
  headers: WebhookHeaders,
  body: string,
): Promise<CarrierCaller> => {
  const code = headers['x-carrier-code']
  const carrier = typeof code === 'string' ? await store.read.carriers.find(code) : undefined
  const nowSeconds = Math.floor(clock.now() / 1000)
  if (!carrier || !verifyWebhook(headers, body, [vault.open(carrier.secretSealed)], nowSeconds))
    throw new Problem('invalid_credentials', 'X-Carrier-Code and the signature do not belong to a known carrier.')
  return { kind: 'carrier', code: carrier.code }
}
