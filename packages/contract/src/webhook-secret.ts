import { Type } from 'typebox'
import { Output, Timestamp } from './values.ts'

/** A signing secret of webhooks, without its text. */
export const WebhookSecret = Output({
  id: Type.String(),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Type.String({ description: 'Replaced by a newer one, but still signs until then' })),
})

export const NewSecret = Type.String({ description: 'whsec_…: what signs events (Standard Webhooks). It is not shown again' })
