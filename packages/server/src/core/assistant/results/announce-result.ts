import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { StoredResult } from '#core/kernel/ports/store/assistant/results.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { resultElement } from './result-element.ts'

export const resultKind = 'assistant_result'
const announceJob = 'result.announce'

/** What stands in the outbox. The body is made once, so that it is the same in every try. */
export interface ResultMessage {
  accountId: string
  flowId: string
  callId: string
  /** What the receiver recognises it by. */
  eventId: string
  url: string
  body: string
}

/** At that time it is sent as it then is; asked for again, only the time changes. */
export const announceResult = (tables: Tables, callId: string, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${announceJob}:${callId}`, kind: announceJob, payload: { callId }, dueAt })

export const resultJobs = ({ store, clock, wake }: { store: Store; clock: Clock; wake: () => void }): Record<string, Task> => ({
  [announceJob]: async (payload) => {
    const { callId } = payload as { callId: string }
    await store.write(async (tables) => {
      const result = await tables.results.lock(callId)
      if (!result || result.webhookUrl === undefined) return
      const message = messageOf(result, result.webhookUrl)
      const { eventId, accountId } = message
      const isNew = await tables.outbox.putOnce({ id: eventId, accountId, kind: resultKind, payload: message, at: clock.now() })
      if (isNew) await tables.results.setDelivery(callId, 'pending', eventId)
    })
    wake()
  },
})

/** Sends a result again that has arrived or was given up: the same bytes under the same id. */
export const redeliverResult = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { id, flowId, callId }: { id: string; flowId: string; callId: string },
): Promise<void> => {
  const { accountId } = caller
  if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  if (!(await tables.results.find(accountId, flowId, callId))) throw new Problem('result_not_found')
  const result = await tables.results.lock(callId)
  if (result?.webhookUrl === undefined) throw new Problem('conflict', 'The assistant’s version named no address for results.')
  if (result.delivery !== 'delivered' && result.delivery !== 'failed')
    throw new Problem('conflict', 'It has not been sent yet, or is still being tried.')
  const message = messageOf(result, result.webhookUrl)
  const at = clock.now()
  const isBack = await tables.outbox.revive(message.eventId, at)
  if (!isBack) await tables.outbox.put({ id, accountId, kind: resultKind, payload: message, at })
  await tables.results.setDelivery(callId, 'pending', message.eventId)
  await auditByUser(tables, clock, caller, 'flow.result.redeliver', flowId)
}

/** What has changed since has another id, so that receivers do not take it for what they have. */
const messageOf = (result: StoredResult, url: string): ResultMessage => {
  const { delivery: _, ...element } = resultElement(result)
  const body = JSON.stringify({ type: resultKind, result: element })
  const { accountId, flowId, callId } = result
  const eventId = `result_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`
  return { accountId, flowId, callId, eventId, url, body }
}
