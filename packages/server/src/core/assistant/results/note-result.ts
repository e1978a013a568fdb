import type { StartedResult, CountedResult, StoredResult, TakenMessage, PublishedResult } from '#core/kernel/ports/store/session.ts'
import type { Tables, Store } from '#core/kernel/ports/store/index.ts'
import { redactorFor } from '#core/telephone/timeline/concealment.ts'
import { announceResult } from './announce-result.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { Tasks } from '#core/kernel/work/worker.ts'

/** Maximum messages per call; an assistant that takes more is malfunctioning. */
const maxMessages = 20
/** Milliseconds the endpoint has after the call to report its result. */
export const resultWaitMs = 60_000

/** Runs in the transaction that ends the session. Every session has a result with its counts, even if the endpoint reports no more. */
export const endResult = async (
  tables: Tables,
  { counted, ...begun }: StartedResult & { counted: CountedResult },
  at: number,
): Promise<void> => {
  const { callId } = begun
  const variables = counted.variables && (await kept(tables, begun, counted.variables))
  const { webhookUrl, isTold: isNotified } = await tables.results.end(begun, { ...counted, ...(variables && { variables }) })
  if (webhookUrl !== undefined) await announceResult(tables, callId, isNotified ? at : at + resultWaitMs)
}

/** Stores the endpoint's result, during the call or shortly after it; replaces an earlier one. Returns false for an unknown call. */
export const publishResult = async (tables: Tables, callId: string, said: PublishedResult, at: number): Promise<boolean> => {
  const result = await found(tables, callId)
  if (!result) return false
  const { messages } = result
  const notified = await kept(tables, result, said)
  await tables.results.tell(callId, { messages, told: notified, search: searchable(messages, notified) })
  if (result.webhookUrl !== undefined && result.durationMs !== undefined) await announceResult(tables, callId, at)
  return true
}

/** Returns false if the call is unknown or already has too many messages. */
export const addMessage = async (tables: Tables, callId: string, message: TakenMessage): Promise<boolean> => {
  const result = await found(tables, callId)
  if (!result || result.messages.length >= maxMessages) return false
  const { told: notified } = result
  const messages = [...result.messages, await kept(tables, result, message)]
  await tables.results.tell(callId, { messages, told: notified, search: searchable(messages, notified) })
  return true
}

/** Redacts fields that the flow does not keep. */
const kept = async <T extends object>(
  { flows }: Tables,
  { accountId, flowId }: Pick<StoredResult, 'accountId' | 'flowId'>,
  said: T,
): Promise<T> => {
  const flow = await flows.find(accountId, flowId)
  const redactor = flow && redactorFor(flow.settings)
  return redactor ? (redactor.value(said) as T) : said
}

/** Locks the result. A customer's own endpoint has none before its first report. */
const found = async (tables: Tables, callId: string): Promise<StoredResult | undefined> => {
  const there = await tables.results.lock(callId)
  if (there) return there
  const open = await tables.sessions.findOpen(callId)
  if (!open) return undefined
  await tables.results.begin({ callId, accountId: open.accountId, flowId: open.flowId, startedAt: open.startedAt })
  return tables.results.lock(callId)
}

type Told = Omit<ActionOf<'result'>, 'type' | 'session_id' | 'turn' | 'turn_token'>

interface ToldResultsDeps {
  store: Store
  clock: Clock
  /** Called after an insert into the outbox. */
  wake: () => void
  onError: (error: unknown, callId: string) => void
}

/** Writes results from endpoints in the background: no call waits for it. */
export class ResultPublisher {
  readonly #deps: ToldResultsDeps
  readonly #tasks = new Tasks()
  /** Serializes writes: the later of two results of a call wins. */
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: ToldResultsDeps) {
    this.#deps = deps
  }

  readonly keep = ({ callId }: { callId: string }, notified: Told): void => {
    this.#writing = this.#writing.then(() => this.#write(callId, notified))
    void this.#tasks.track(this.#writing)
  }

  idle(): Promise<void> {
    return this.#tasks.idle()
  }

  close(): Promise<void> {
    return this.idle()
  }

  async #write(callId: string, { next_steps: nextSteps, ...notified }: Told): Promise<void> {
    const { store, clock, wake, onError } = this.#deps
    try {
      const all = { ...notified, ...(nextSteps && { nextSteps }) }
      if (await store.write((tables) => publishResult(tables, callId, all, clock.now()))) wake()
    } catch (error) {
      onError(error, callId)
    }
  }
}

const maxLength = 20_000

/** All searchable words of a result, in lower case like the words of a query. */
const searchable = (messages: readonly TakenMessage[], notified: PublishedResult | undefined): string => {
  const said = messages.map(({ name, phone, text }) => [name, phone, text])
  return [...texts(notified), ...texts(said)].join('\n').toLowerCase().slice(0, maxLength)
}

export const searchWords = (question: string): string[] => question.toLowerCase().split(/\s+/).filter(Boolean)

/** Excludes field names, because they are not words of the call. */
const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}
