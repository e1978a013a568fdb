import { flowSignature } from '../delivery/events/event-headers.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { ResultDelivery } from '#core/kernel/ports/store/session.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { customerRetries } from '#core/kernel/webhook/retry-schedule.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { PermanentError, type Task } from '#core/kernel/work/worker.ts'
import { type ResultMessage, resultKind } from './announce-result.ts'
import { more, type Recurring } from '#core/kernel/work/recurring.ts'

const deadlineMs = 15_000
/** Response limit; the body is ignored. */
const maxBytes = 64 * 1024
const gone = 410

interface DeliverResultDeps {
  store: Store
  clock: Clock
  /** Real time, also in a sandbox: the receiver compares the signature with its own clock. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
}

/** Outbox task `assistant_result`. Stores the delivery state in the result. */
export const deliverResult =
  (deps: DeliverResultDeps): Task =>
  async (payload, { attempts }) => {
    const message = payload as ResultMessage
    const note = (state: ResultDelivery): Promise<void> => noteDelivery(deps.store, message, state)
    try {
      await send(deps, message)
    } catch (error) {
      if (error instanceof PermanentError || attempts > customerRetries.length) await note('failed')
      throw error
    }
    await note('delivered')
  }

const send = async ({ store, clock, wallClock, vault, outbound }: DeliverResultDeps, message: ResultMessage): Promise<void> => {
  const { accountId, flowId, eventId, url, body } = message
  const flow = await store.read.flows.find(accountId, flowId)
  if (!flow) throw new PermanentError('the flow is not there any more')
  const signing = { settings: flow.settings, vault, now: clock.now(), signedAt: wallClock.now() }
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...flowSignature(eventId, body, signing) }
  const { status } = await outbound.request({ method: 'POST', url, headers, body, deadlineMs, maxBytes }).catch((error: unknown) => {
    throw error instanceof OutboundFailure && error.kind === 'refused' ? new PermanentError(error.message) : error
  })
  if (status === gone) throw new PermanentError('the address says that it is gone (410)')
  if (status < 200 || status > 299) throw new Error(`the address answered with ${status}`)
}

/** Records only the state of the latest message: an older one may still be retried. */
const noteDelivery = (store: Store, { callId, eventId }: ResultMessage, state: ResultDelivery): Promise<void> =>
  store.write(async ({ results }) => {
    const result = await results.lock(callId)
    if (result?.eventId === eventId) await results.setDelivery(callId, state)
  })

const day = 24 * 60 * 60 * 1000
/** Rows per transaction: writers queue behind it. */
const batchSize = 1_000

/** Keeps results as long as timelines, at least one day, so that they can be read and sent again. Undefined keeps them forever. */
export const resultSweep = (retentionDays: number | undefined): Recurring => ({
  kind: 'result.sweep',
  intervalMs: day,
  run: async ({ results }, now) => {
    if (retentionDays === undefined) return undefined
    return (await results.removeBefore(now - Math.max(1, retentionDays) * day, batchSize)) === batchSize ? more : undefined
  },
})

/** Erases one account's call results, including undelivered ones, and its test-run reports. Yields after each transaction. */
export async function* eraseResultsBefore({ store }: { store: Store }, accountId: string, before: number): AsyncGenerator<void> {
  await store.write(async (tables) => {
    await tables.outbox.removeDeadOf(accountId, resultKind, before)
    await tables.testRuns.removeOfBefore(accountId, before)
  })
  yield
  while ((await store.write(({ results }) => results.removeOfBefore(accountId, before, batchSize))) === batchSize) yield
  yield
}
