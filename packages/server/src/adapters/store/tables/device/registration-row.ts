import type { Selectable } from 'kysely'
import type { Registration } from '#core/kernel/ports/store/device/registrations.ts'
import type { Schema } from '#adapters/store/schema/index.ts'

export const toRegistration = (row: Selectable<Schema['registration']>): Registration => ({
  contact: row.contact,
  path: row.path,
  q: row.q,
  ip: row.received_ip,
  via: row.via,
  origin: row.origin,
  port: row.received_port,
  transport: row.transport,
  userAgent: row.user_agent,
  callId: row.call_id,
  cseq: row.cseq,
  expiresAt: row.expires_at,
})
