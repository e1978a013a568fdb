import { Problem } from '@offhook/contract/problem.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'
import { newWebhookSecret } from '#core/kernel/webhook/standard-webhooks.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { AuditStream } from '#core/kernel/ports/store/operate.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { scheduleDelivery } from './deliver-entries.ts'

const maxStreams = 5

interface NewStream {
  id: string
  kind: AuditStream['kind']
  url: string
  start?: 'NOW' | 'BEGINNING'
  headers?: Record<string, string>
}

/** Returns the stream, and the secret of a webhook. */
export const createStream = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  accountId: string,
  { id, kind, url, start = 'NOW', headers }: NewStream,
): Promise<{ stream: AuditStream; secret: string | undefined }> => {
  requireAddress(kind, url)
  if (headers && kind !== 'OTLP') throw Problem.field('headers', 'are possible only for OTLP')
  await tables.accounts.lock(accountId)
  if ((await tables.auditStreams.list(accountId)).length >= maxStreams) throw new Problem('audit_stream_limit_reached')
  const secret = kind === 'WEBHOOK' ? newWebhookSecret() : undefined
  const sealable = secret ?? (headers && JSON.stringify(headers))
  const stream: AuditStream = {
    id,
    kind,
    url,
    secretSealed: sealable === undefined ? undefined : vault.seal(sealable),
    position: start === 'NOW' ? (await tables.audit.head(accountId)).seq : 0,
    failures: 0,
    failingSince: undefined,
    failure: undefined,
    createdAt: clock.now(),
  }
  await tables.auditStreams.insert(accountId, stream)
  await scheduleDelivery(tables, { accountId, streamId: id }, clock.now())
  return { stream, secret }
}

const requireAddress = (kind: AuditStream['kind'], url: string): void => {
  if (kind !== 'SYSLOG') {
    if (!isWebAddress(url)) throw Problem.field('url', 'must be an http or https address without a user name')
    return
  }
  const { protocol, username, password, port, pathname = '' } = URL.parse(url) ?? {}
  const isPlain = !username && !password && port !== '' && ['', '/'].includes(pathname)
  if (!['tcp:', 'tls:'].includes(protocol ?? '') || !isPlain) throw Problem.field('url', 'must be tls://host:port or tcp://host:port')
}
