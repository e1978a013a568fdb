import type { AuditEntry } from '#core/kernel/ports/store/operate.ts'

export const webhookBody = (accountId: string, entries: readonly AuditEntry[]): string =>
  JSON.stringify({
    type: 'audit.entries',
    timestamp: timeOf(entries.at(-1)?.at ?? 0),
    data: { accountId, entries: entries.map(({ at, ...entry }) => ({ ...entry, at: timeOf(at) })) },
  })

/** Facility 13 (log audit), severity 5 (notice). */
const priority = 13 * 8 + 5
/** Private enterprise number for examples (RFC 5612): we have none of our own. */
const structuredId = 'audit@32473'

/** RFC 5424. The message is the detail as JSON, in UTF-8. */
export const syslogMessage = (host: string, accountId: string, entry: AuditEntry): string => {
  const { seq, at, actor, action, target, detail, hash, previousHash } = entry
  const fields = Object.entries({ account: accountId, seq: String(seq), actor, action, target, hash, previousHash })
  const structured = fields.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
  const header = `<${priority}>1 ${timeOf(at)} ${printable(host, 255)} offhook - ${printable(action, 32)}`
  return `${header} [${structuredId}${structured}] \uFEFF${JSON.stringify(detail)}`
}

const escaped = (value: string): string => value.replaceAll(/["\\\]]/g, '\\$&')

const printable = (value: string, maxLength: number): string => value.replaceAll(/[^!-~]/g, '_').slice(0, maxLength) || '-'

const scope = { name: 'offhook.audit' }
const severity = { severityNumber: 9, severityText: 'INFO' }

/** OTLP/HTTP with JSON, the body of `/v1/logs`. */
export const otlpLogs = (accountId: string, entries: readonly AuditEntry[]): string =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: attributes({ 'service.name': 'offhook', 'offhook.account': accountId }) },
        scopeLogs: [{ scope, logRecords: entries.map(logRecord) }],
      },
    ],
  })

const logRecord = ({ seq, at, actor, action, target, detail, hash, previousHash }: AuditEntry) => ({
  timeUnixNano: `${Math.round(at)}000000`,
  observedTimeUnixNano: `${Math.round(at)}000000`,
  ...severity,
  body: { stringValue: action },
  attributes: [
    ...attributes({ 'event.name': action, 'audit.actor': actor, 'audit.target': target, 'audit.detail': JSON.stringify(detail) }),
    ...attributes({ 'audit.hash': hash, 'audit.previous_hash': previousHash }),
    { key: 'audit.seq', value: { intValue: String(seq) } },
  ],
})

const attributes = (texts: Record<string, string>) => Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }))

const timeOf = (at: number): string => new Date(at).toISOString()
