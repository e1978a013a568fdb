import type { CallResult } from '@offhook/contract/v3/results.ts'
import type { Static } from 'typebox'
import type { StoredResult, TakenMessage } from '#core/kernel/ports/store/assistant/results.ts'

export type ResultElement = Static<typeof CallResult>

const million = 1_000_000

/** As it is read over the interface and sent to webhooks. */
export const resultElement = (result: StoredResult): ResultElement => {
  const { accountId: _account, webhookUrl: _url, eventId: _event, startedAt, messages, costMicros, currency, told: notified, ...rest } = result
  const { nextSteps, ...said } = notified ?? {}
  return {
    ...withoutUndefined(rest),
    startedAt: new Date(startedAt).toISOString(),
    messages: messages.map(messageElement),
    ...(currency !== undefined && { cost: { amount: costMicros / million, currency } }),
    ...said,
    ...(nextSteps && { nextSteps: [...nextSteps] }),
  }
}

const messageElement = ({ at, ...message }: TakenMessage): ResultElement['messages'][number] => ({
  ...message,
  at: new Date(at).toISOString(),
})

type Known<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(value: T): Known<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Known<T>
