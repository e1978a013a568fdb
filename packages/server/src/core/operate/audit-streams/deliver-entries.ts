import { OutboundFailure, type OutboundHttp, type SyslogSender } from '#core/kernel/ports/outbound.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { AuditEntry, AuditStream } from '#core/kernel/ports/store/operate.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { signWebhook, userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { otlpLogs, syslogMessage, webhookBody } from './formats.ts'

const streamJob = 'audit.stream'
const second = 1_000
/** Milliseconds between two looks at the audit log. */
const pollIntervalMs = 5 * second
const maxPauseMs = 300 * second
/** Entries per request: together with the length of an entry it limits the memory. */
const batchSize = 100
/** Requests per run; then the streams of other accounts go first. */
const maxBatches = 10
const deadlineMs = 15 * second
const maxReplyBytes = 64 * 1024

interface StreamDeps {
  store: Store
  clock: Clock
  /** Real time, also in a sandbox: the receiver compares the signature with its own clock. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  syslog: SyslogSender
  /** Host name in syslog messages. */
  host: () => string
}

interface StreamRef {
  accountId: string
  streamId: string
}

export const scheduleDelivery = (tables: Tables, payload: StreamRef, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${streamJob}:${payload.streamId}`, kind: streamJob, payload, dueAt })

/**
 * Endless job per stream. The audit log is the queue and the position is written after the delivery, so that a restart loses nothing and may
 * repeat a batch.
 */
export const auditStreamJobs = (deps: StreamDeps): Record<string, Task> => ({
  [streamJob]: async (payload) => {
    const ref = payload as StreamRef
    const pauseMs = await deliverBatches(deps, ref)
    if (pauseMs !== undefined) await deps.store.write((tables) => scheduleDelivery(tables, ref, deps.clock.now() + pauseMs))
  },
})

/** Returns the milliseconds until the next run; undefined if the stream was deleted. */
const deliverBatches = async (deps: StreamDeps, { accountId, streamId }: StreamRef): Promise<number | undefined> => {
  const { store, clock } = deps
  for (let batch = 0; batch < maxBatches; batch++) {
    const stream = await store.read.auditStreams.find(accountId, streamId)
    if (!stream) return undefined
    const entries = await store.read.audit.list(accountId, { afterSeq: stream.position, limit: batchSize })
    const last = entries.at(-1)
    if (!last) return pollIntervalMs
    try {
      await deliver(deps, accountId, stream, entries)
    } catch (error) {
      const message = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
      await store.write(({ auditStreams }) => auditStreams.noteFailure(accountId, streamId, { at: clock.now(), message }))
      return Math.min(pollIntervalMs * 2 ** Math.min(stream.failures, 10), maxPauseMs)
    }
    await store.write(({ auditStreams }) => auditStreams.noteDelivered(accountId, streamId, last.seq))
    if (entries.length < batchSize) return pollIntervalMs
  }
  return 0
}

const deliver = async (deps: StreamDeps, accountId: string, stream: AuditStream, entries: readonly AuditEntry[]): Promise<void> => {
  const { outbound, syslog, vault, wallClock, host } = deps
  const { url, kind, secretSealed } = stream
  if (kind === 'SYSLOG')
    return syslog.send(
      url,
      entries.map((entry) => syslogMessage(host(), accountId, entry)),
    )
  const secret = secretSealed === undefined ? undefined : vault.open(secretSealed)
  const body = kind === 'WEBHOOK' ? webhookBody(accountId, entries) : otlpLogs(accountId, entries)
  const own = kind === 'WEBHOOK' ? signature(stream, entries, body, secret ?? '', wallClock) : headersIn(secret)
  const headers = { ...own, 'content-type': 'application/json', 'user-agent': userAgent }
  const { status } = await outbound.request({ method: 'POST', url, headers, body, deadlineMs, maxBytes: maxReplyBytes })
  if (status < 200 || status > 299) throw new OutboundFailure('broken', `The receiver answered ${status}`, status)
}

/** The id of a batch is the same when it is sent again, unless entries were added. */
const signature = ({ id }: AuditStream, entries: readonly AuditEntry[], body: string, secret: string, clock: Clock) =>
  signWebhook({
    id: `${id}-${entries[0]?.seq ?? 0}-${entries.at(-1)?.seq ?? 0}`,
    timestampSeconds: Math.floor(clock.now() / 1000),
    body,
    secrets: [secret],
  })

const headersIn = (sealable: string | undefined): Record<string, string> =>
  sealable === undefined ? {} : (JSON.parse(sealable) as Record<string, string>)
