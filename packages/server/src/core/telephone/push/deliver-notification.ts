import { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import { accountBusyMs } from '#core/kernel/webhook/retry-schedule.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'
import { PermanentError, DeferredError, type Task } from '#core/kernel/work/worker.ts'
import type { ExchangeLog } from './exchange-log.ts'
import { findAddress } from './change-push.ts'
import { asJson } from './form-body.ts'
import type { CallNotification } from './notifications.ts'
import type { Posting, PushClient } from './push-client.ts'
import { replyText } from './read-response.ts'

interface DeliverNotificationDeps {
  store: Store
  clock: Clock
  client: PushClient
  log: ExchangeLog
  /** Aborts when the service stops. */
  stopped: AbortSignal
}

/** Milliseconds from connect to the last byte; no call waits for it, so it may exceed the limit for questions. */
const deadlineMs = 15_000
const atOncePerAccount = 50
/** Milliseconds between checks whether the answer notification was delivered. */
const recheckMs = 1_000

/** Outbox task for answer and hangup. Any 2xx counts as delivered; the body is ignored. */
export const deliverNotification = (deps: DeliverNotificationDeps): Task => {
  const { store, clock } = deps
  const lanes = new AccountLanes(clock, { concurrency: atOncePerAccount, waiting: 0 })
  return async (payload, { id }) => {
    const notification = payload as CallNotification
    await requireTurn(store, clock, notification)
    const leave = await lanes.enter(notification.call.accountId, 0).catch(() => {
      throw new DeferredError('too many of this account are under way', accountBusyMs)
    })
    await deliver(deps, id, notification).finally(leave)
  }
}

/** The hangup is delivered after the answer, or after the answer was given up. */
const requireTurn = async (store: Store, clock: Clock, { after }: CallNotification): Promise<void> => {
  const until = after === undefined ? undefined : await store.read.outbox.waitsUntil(after)
  if (until !== undefined) throw new DeferredError('the answer of the call comes first', Math.max(until - clock.now(), 0) + recheckMs)
}

const deliver = async (
  { store, client, log, stopped }: DeliverNotificationDeps,
  id: string,
  notification: CallNotification,
): Promise<void> => {
  const { call, event, url } = notification
  const { accountId, callId } = call
  const address = await findAddress(store.read, call)
  if (!address) throw new PermanentError('the account has not booked notifications any more')
  const { format } = address
  const body = format === 'json' ? asJson(notification.body) : notification.body
  const came = await post(client, { id, accountId, url, body, format, deadlineMs, signal: stopped })
  if (address.log) log.record({ accountId, callId, line: address.line, event, url, request: body, ...came.seen })
  if (came.problem !== undefined) throw came.hopeless ? new PermanentError(came.problem) : new Error(came.problem)
}

interface Came {
  seen: Pick<PushExchange, 'status' | 'response' | 'xmlError'>
  /** Why it was not delivered; undefined on success. */
  problem: string | undefined
  hopeless: boolean
}

const post = async (client: PushClient, posting: Posting): Promise<Came> => {
  try {
    const reply = await client.post(posting)
    return judged({ status: reply.status, response: replyText(reply), xmlError: undefined }, reply.status)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const { kind, message, status } = error
    if (kind === 'aborted') throw new DeferredError('the service ends', 0)
    const seen = { status, response: '', xmlError: message }
    // An oversized reply still has a status: error pages tend to be long.
    return status === undefined ? { seen, problem: message, hopeless: kind === 'refused' } : judged(seen, status)
  }
}

const judged = (seen: Came['seen'], status: number): Came => {
  const accepted = status >= 200 && status <= 299
  return { seen, problem: accepted ? undefined : `the endpoint answered ${status}`, hopeless: status === 410 }
}
