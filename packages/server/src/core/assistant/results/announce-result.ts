import { callIdOf } from '@offhook/contract/assistant/session.ts'
import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { StoredResult, TakenMessage } from '#core/kernel/ports/store/session.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import type { CallResult } from '@offhook/contract/v3/results.ts'
import type { Static } from 'typebox'

export const resultKind = 'assistant_result'
const announceJob = 'result.announce'

/** Outbox payload. The body is built once, so that it is identical in every attempt. */
export interface ResultMessage {
  accountId: string
  flowId: string
  callId: string
  /** Id by which the receiver recognises it. */
  eventId: string
  url: string
  body: string
}

/** Sends the result as it is at `dueAt`; a repeated call only changes the time. */
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

/** Sends a delivered or failed result again: the same bytes under the same id. */
export const redeliverResult = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { id, flowId, callId }: { id: string; flowId: string; callId: string },
): Promise<void> => {
  const { accountId } = caller
  if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  const found = await tables.results.find(accountId, flowId, callId)
  if (!found) throw new Problem('result_not_found')
  const result = await tables.results.lock(found.callId)
  if (result?.webhookUrl === undefined) throw new Problem('conflict', 'The assistant’s version named no address for results.')
  if (result.delivery !== 'delivered' && result.delivery !== 'failed')
    throw new Problem('conflict', 'It has not been sent yet, or is still being tried.')
  const message = messageOf(result, result.webhookUrl)
  const at = clock.now()
  const isBack = await tables.outbox.revive(message.eventId, at)
  if (!isBack) await tables.outbox.put({ id, accountId, kind: resultKind, payload: message, at })
  await tables.results.setDelivery(found.callId, 'pending', message.eventId)
  await auditByUser(tables, clock, caller, 'flow.result.redeliver', flowId)
}

/** A changed result has another id, so that receivers do not treat it as a duplicate. */
const messageOf = (result: StoredResult, url: string): ResultMessage => {
  const { delivery: _, ...element } = resultElement(result)
  const body = JSON.stringify({ type: resultKind, result: element })
  const { accountId, flowId, callId } = result
  const eventId = `result_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`
  return { accountId, flowId, callId, eventId, url, body }
}

type ResultElement = Static<typeof CallResult>

const million = 1_000_000

/** Public form for the API and webhooks. */
export const resultElement = (result: StoredResult): ResultElement => {
  const {
    accountId: _account,
    webhookUrl: _url,
    eventId: _event,
    startedAt,
    messages,
    costMicros,
    currency,
    told: notified,
    ...rest
  } = result
  const { nextSteps, ...said } = notified ?? {}
  return {
    ...withoutUndefined(rest),
    ...idsOf(rest.callId),
    startedAt: new Date(startedAt).toISOString(),
    messages: messages.map(messageElement),
    ...(currency !== undefined && { cost: { amount: costMicros / million, currency } }),
    ...said,
    ...(nextSteps && { nextSteps: [...nextSteps] }),
  }
}

const idsOf = (sessionId: string): Pick<ResultElement, 'callId' | 'sessionId'> => {
  const callId = callIdOf(sessionId)
  return callId === sessionId ? { callId } : { callId, sessionId }
}

const messageElement = ({ at, ...message }: TakenMessage): ResultElement['messages'][number] => ({
  ...message,
  at: new Date(at).toISOString(),
})

type Known<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(value: T): Known<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Known<T>
