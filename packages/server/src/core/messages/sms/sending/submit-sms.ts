import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, TakenPart } from '#core/kernel/ports/store/message.ts'
import { SmsLater, SmsRefused, type SmsPart, type SmsRoute } from '#core/kernel/ports/messages.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { isWaiting, markDeliveredHere, markFailed, markPending, markSent } from '../state/outcome.ts'
import { partsFor } from '../text/outgoing-parts.ts'
import type { SmsReason } from '../state/reasons.ts'
import { sendersOf } from './senders.ts'
import type { SmsParts } from '../state/sms-parts.ts'
import { writeInboundSms } from '../receiving/write-inbound-sms.ts'

interface Named {
  accountId: string
  id: string
}

const second = 1_000
const maxWaitMs = 120 * second
/** Receipts older than this at submission belong to another message with the same id. */
const earlyMs = 3_600 * second

/** Delivers one message locally or submits it to a route. Retried until it succeeds or is pointless. */
export const submitTask =
  (deps: SmsParts): Task =>
  async (payload) => {
    const named = payload as Named
    const sms = await begin(deps, named)
    if (sms) await overRoutes(deps, sms)
  }

/** Returns the message if it is for another network and due. */
const begin = async (deps: SmsParts, { accountId, id }: Named): Promise<StoredSms | undefined> => {
  const { store, clock } = deps
  const known = await store.read.messages.find(accountId, id)
  if (known?.state === 'PENDING' && (await hindrance(store.read, deps, known)) === undefined) return known
  const { sms, over, arrived } = await store.write(async (tables) => {
    const locked = await tables.messages.lock(accountId, id)
    if (!locked || !isWaiting(locked)) return {}
    const why = await hindrance(tables, deps, locked)
    if (why === undefined) return { sms: await markPending(tables, clock, locked) }
    if (why === 'here') return { over: locked, arrived: await deliverHere(tables, deps, locked) }
    await markFailed(tables, clock, locked, why)
    return { over: locked }
  })
  if (arrived) deps.programHasEvents(arrived)
  if (over) announce(deps, over)
  return sms
}

/** Reason not to submit it to another network: a local number, or a failure. */
const hindrance = async (tables: Tables, { clock }: SmsParts, sms: StoredSms): Promise<SmsReason | 'here' | undefined> => {
  if (!(await mayWrite(tables, sms))) return 'sender_gone'
  if (await tables.numbers.findCallable(sms.recipient)) return 'here'
  if (sms.route === 'here') return 'moved_away'
  return clock.now() >= sms.giveUpAt ? 'no_way' : undefined
}

/** Weeks may have passed since the order: the number may belong to another account by now. */
const mayWrite = async (tables: Tables, { accountId, listed, smsId, sender }: StoredSms): Promise<boolean> => {
  if (!(await tables.accounts.find(accountId))) return false
  if (!listed) return true
  const line = smsId === undefined ? undefined : await tables.smsLines.find(accountId, smsId)
  return line !== undefined && (await sendersOf(tables, accountId, line)).includes(sender)
}

/** Copies from the sender's history to the recipient's. Returns the delivered message. */
const deliverHere = async (tables: Tables, { clock }: SmsParts, sms: StoredSms): Promise<StoredSms | undefined> => {
  const number = await tables.numbers.findCallable(sms.recipient)
  const inbound = { sender: sms.sender, text: sms.text, route: 'here', byService: !sms.listed }
  const arrived = number && (await writeInboundSms(tables, number, inbound, clock.now()))
  if (arrived) await markDeliveredHere(tables, clock, sms)
  else await markFailed(tables, clock, sms, 'nobody_there')
  return arrived
}

/** The first available route takes it; a route that has accepted a part gets the others, too. */
const overRoutes = async (deps: SmsParts, sms: StoredSms): Promise<void> => {
  const taken = await deps.store.read.messages.parts(sms.accountId, sms.id)
  const routes = deps.routes.filter(({ name }) => taken.length === 0 || name === taken[0]?.route)
  let later = new SmsLater('no route is there', maxWaitMs)
  for (const route of routes) {
    const { failure, started } = await overRoute(deps, route, sms, taken)
    if (failure === undefined) return announce(deps, sms)
    if (failure instanceof SmsRefused) {
      deps.onRefused(route.name, failure.why)
      return fail(deps, sms)
    }
    if (!(failure instanceof SmsLater)) throw failure
    later = failure
    if (started) break
  }
  const age = deps.clock.now() - sms.sendAt
  throw new DeferredError(later.message, Math.max(later.waitMs, second, Math.min(age / 8, maxWaitMs)))
}

const fail = async (deps: SmsParts, sms: StoredSms): Promise<void> => {
  await deps.store.write(async (tables) => {
    const locked = await tables.messages.lock(sms.accountId, sms.id)
    if (locked && isWaiting(locked)) await markFailed(tables, deps.clock, locked, 'refused')
  })
  announce(deps, sms)
}

/** Notifies subscribed programs and users of the new state. */
const announce = (deps: SmsParts, sms: StoredSms): void => {
  deps.programHasEvents(sms)
  deps.wake()
}

interface Attempt {
  /** Undefined when all parts were accepted. */
  failure: unknown
  /** Whether the route has accepted some parts. */
  started: boolean
}

/** Submits the first part alone: a rejection mostly applies to the whole message, and then no part was accepted. */
const overRoute = async (deps: SmsParts, route: SmsRoute, sms: StoredSms, taken: readonly TakenPart[]): Promise<Attempt> => {
  const all = partsFor(route, sms)
  const [first, ...others] = all.filter((_, index) => !taken.some(({ number }) => number === index + 1))
  const submit = (part: SmsPart): Promise<unknown> => submitPart(deps, route, sms, part, all.length).then(() => undefined, failureOf)
  const failure = first && (await submit(first))
  if (failure !== undefined) return { failure, started: taken.length > 0 }
  const failures = (await Promise.all(others.map(submit))).filter((one) => one !== undefined)
  const worst = failures.find((one) => one instanceof SmsRefused) ?? failures.find((one) => !(one instanceof SmsLater)) ?? failures[0]
  return { failure: worst, started: true }
}

const failureOf = (error: unknown): unknown => error ?? new Error('a route failed without a word')

const submitPart = async (deps: SmsParts, route: SmsRoute, sms: StoredSms, part: SmsPart, total: number): Promise<void> => {
  const { id: routeId } = await route.submit(part)
  const { accountId, id } = sms
  await deps.store.write(async (tables) => {
    await tables.messages.lockRouteId(route.name, routeId)
    const locked = await tables.messages.lock(accountId, id)
    if (!locked) return
    const early = await tables.messages.takeEarlyReceipt(route.name, routeId, sms.recipient, deps.clock.now() - earlyMs)
    const state = early?.state ?? 'ENROUTE'
    await tables.messages.insertPart({ accountId, id, number: part.of?.number ?? 1, route: route.name, routeId, state })
    const all = await tables.messages.parts(accountId, id)
    if (all.length === total && isWaiting(locked)) await markSent(tables, deps.clock, locked, all)
  })
}
