import type { StartedResult, CountedResult, StoredResult, TakenMessage, PublishedResult } from '#core/kernel/ports/store/assistant/results.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { redactorFor } from '#core/telephone/timeline/redact-happening.ts'
import { announceResult } from './announce-result.ts'
import { searchable } from './searchable.ts'

/** An assistant that takes more in one call has lost its way. */
const maxMessages = 20
/** How long the endpoint may take to say what came of the call once it is over. */
export const resultWaitMs = 60_000

/** Part of the transaction in which the session ends. Every session has a result: what is counted, even if nobody tells more. */
export const endResult = async (
  tables: Tables,
  { counted, ...begun }: StartedResult & { counted: CountedResult },
  at: number,
): Promise<void> => {
  const { callId } = begun
  const { webhookUrl, isTold: isNotified } = await tables.results.end(begun, counted)
  if (webhookUrl !== undefined) await announceResult(tables, callId, isNotified ? at : at + resultWaitMs)
}

/** The endpoint says what came of the call, while it lasts or a little later. What it said before is replaced. False: there is no such call. */
export const publishResult = async (tables: Tables, callId: string, said: PublishedResult, at: number): Promise<boolean> => {
  const result = await found(tables, callId)
  if (!result) return false
  const { messages } = result
  const notified = await kept(tables, result, said)
  await tables.results.tell(callId, { messages, told: notified, search: searchable(messages, notified) })
  if (result.webhookUrl !== undefined && result.durationMs !== undefined) await announceResult(tables, callId, at)
  return true
}

/** False: there is no such call, or it has left too many messages already. */
export const addMessage = async (tables: Tables, callId: string, message: TakenMessage): Promise<boolean> => {
  const result = await found(tables, callId)
  if (!result || result.messages.length >= maxMessages) return false
  const { told: notified } = result
  const messages = [...result.messages, await kept(tables, result, message)]
  await tables.results.tell(callId, { messages, told: notified, search: searchable(messages, notified) })
  return true
}

/** Without what the flow does not want to be kept. */
const kept = async <T extends object>({ flows }: Tables, { accountId, flowId }: StoredResult, said: T): Promise<T> => {
  const flow = await flows.find(accountId, flowId)
  const redactor = flow && redactorFor(flow.settings)
  return redactor ? (redactor.value(said) as T) : said
}

/** Locked. Of an endpoint of the customer's own there is none before it says something. */
const found = async (tables: Tables, callId: string): Promise<StoredResult | undefined> => {
  const there = await tables.results.lock(callId)
  if (there) return there
  const open = await tables.sessions.findOpen(callId)
  if (!open) return undefined
  await tables.results.begin({ callId, accountId: open.accountId, flowId: open.flowId, startedAt: open.startedAt })
  return tables.results.lock(callId)
}
