import { flowSignature } from '../delivery/events/event-headers.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { ResultDelivery } from '#core/kernel/ports/store/assistant/results.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { customerRetries } from '#core/kernel/webhook/retry-schedule.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { PermanentError, type Task } from '#core/kernel/work/worker.ts'
import type { ResultMessage } from './announce-result.ts'

const deadlineMs = 15_000
/** Nobody reads the answer. */
const maxBytes = 64 * 1024
const gone = 410

export interface DeliverResultDeps {
  store: Store
  clock: Clock
  /** The receiver compares the signature with its own clock: real time, also in a sandbox. */
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
}

/** The outbox task `assistant_result`. Whether it arrived stands in the result. */
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

/** Of the latest that was sent: an older one may still be tried. */
const noteDelivery = (store: Store, { callId, eventId }: ResultMessage, state: ResultDelivery): Promise<void> =>
  store.write(async ({ results }) => {
    const result = await results.lock(callId)
    if (result?.eventId === eventId) await results.setDelivery(callId, state)
  })
