import type { WebhookSecret } from '@offhook/contract/webhook-secret.ts'
import type { Static } from 'typebox'

/** A signing secret in the API's form. */
export const toSecretElement = (secret: {
  id: string
  createdAt: number
  expiresAt?: number | undefined
}): Static<typeof WebhookSecret> => ({
  id: secret.id,
  createdAt: new Date(secret.createdAt).toISOString(),
  ...(secret.expiresAt !== undefined && { expiresAt: new Date(secret.expiresAt).toISOString() }),
})
