import type { AuditStream as StreamElement, auditOperations } from '@offhook/contract/v1/audit.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { AuditStream } from '#core/kernel/ports/store/operate.ts'
import { createStream } from '#core/operate/audit-streams/manage-streams.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

type StreamHandlers = Omit<Handlers<typeof auditOperations>, 'listAccountAudit'>

export const auditStreamHandlers = ({
  store,
  clock,
  vault,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'wake'>): StreamHandlers => ({
  listAuditStreams: async ({ caller: { accountId } }) => {
    const [streams, head] = await Promise.all([store.read.auditStreams.list(accountId), store.read.audit.head(accountId)])
    return { items: streams.map((stream) => toElement(stream, head.seq)) }
  },

  createAuditStream: async ({ caller, body, effectId }) => {
    const created = await store.write(async (tables) => {
      const { stream, secret } = await createStream(tables, { clock, vault }, caller.accountId, { id: effectId, ...body })
      await auditByUser(tables, clock, caller, 'audit_stream.create', stream.id, { kind: stream.kind, url: stream.url })
      const head = await tables.audit.head(caller.accountId)
      return { ...toElement(stream, head.seq), secret: secret ?? null }
    })
    wake()
    return created
  },

  deleteAuditStream: ({ caller, params: { streamId } }) =>
    store.write(async (tables) => {
      if (!(await tables.auditStreams.remove(caller.accountId, streamId))) throw new Problem('audit_stream_not_found')
      await auditByUser(tables, clock, caller, 'audit_stream.delete', streamId)
    }),
})

const toElement = (stream: AuditStream, headSeq: number): Static<typeof StreamElement> => {
  const { id, kind, url, position, failingSince, failure, createdAt } = stream
  const failed = failingSince !== undefined && { since: new Date(failingSince).toISOString(), message: failure ?? '' }
  return {
    id,
    kind,
    url,
    createdAt: new Date(createdAt).toISOString(),
    deliveredSeq: position,
    waiting: Math.max(0, headSeq - position),
    failure: failed || null,
  }
}
