import type { AuditEntry } from '#core/kernel/ports/store/operate/audit.ts'

export const toAuditElement = (entry: AuditEntry) => ({ ...entry, at: new Date(entry.at).toISOString() })
