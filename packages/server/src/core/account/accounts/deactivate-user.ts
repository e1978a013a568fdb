import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Tables, Store } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import { requireAnotherAdmin, lockedUser } from './change-user.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Task } from '#core/kernel/work/worker.ts'

/** Disposition of a departing user's numbers and history; fields left out stay with the account. */
interface Leaving {
  /** The user who gets the numbers. */
  numbersTo?: string
  /** The user who gets calls, voicemails, faxes and recordings, or `DELETED`. */
  historyTo?: string
}

/**
 * Blocks logins, ringing, forwarding and notifications until the user is activated again. Lines and devices stay, so that the user
 * finds them on return.
 */
export const deactivateUser = async (
  tables: Tables,
  deps: RemovalDeps,
  accountId: string,
  userId: string,
  { numbersTo, historyTo }: Leaving,
): Promise<void> => {
  const user = await lockedUser(tables, accountId, userId)
  await requireAnotherAdmin(tables, accountId, user)
  for (const [field, heir] of Object.entries({ numbersTo, historyTo }))
    if (heir !== undefined && heir !== 'DELETED') await requireHeir(tables, accountId, userId, field, heir)
  await leadNumbersTo(tables, accountId, userId, numbersTo)
  await silence(tables, accountId, userId)
  if (historyTo === 'DELETED') await deps.cleanups.userLeaves(tables, accountId, userId)
  else await deps.cleanups.userPauses(tables, accountId, userId)
  if (historyTo !== undefined && historyTo !== 'DELETED')
    await handOverHistory(tables, deps.clock, { accountId, from: userId, to: historyTo })
  await revokeUser(tables, accountId, user)
  await tables.emailChanges.removeByUser(accountId, userId)
  await tables.users.setInactive(accountId, userId, deps.clock.now())
}

export const activateUser = async (tables: Tables, accountId: string, userId: string): Promise<void> => {
  await lockedUser(tables, accountId, userId)
  await tables.users.setInactive(accountId, userId, undefined)
}

const requireHeir = async (tables: Tables, accountId: string, userId: string, field: string, heir: string): Promise<void> => {
  const found = heir === userId ? undefined : await tables.users.find(accountId, heir)
  if (!found?.active) throw Problem.field(field, 'is not another user of the account who is active')
}

/** Routes numbers to the heir's first line of the same kind; removes the routing without an heir. Quick dials stay unchanged. */
const leadNumbersTo = async (tables: Tables, accountId: string, userId: string, heir: string | undefined): Promise<void> => {
  const targets = heir === undefined ? {} : await firstLines(tables, accountId, heir)
  const routed = (await tables.numbers.listByUser(accountId, userId)).filter(({ type, state }) => type !== 'QUICKDIAL' && isInUse(state))
  for (const { id, endpointId = '' } of routed) {
    const target = targets[endpointId.charAt(0)]
    await tables.numbers.setRouting(accountId, id, target === undefined ? {} : { endpointId: target })
  }
}

const isInUse = (state: AccountNumber['state']): boolean => state === 'ACTIVE' || state === 'ADDRESS_PENDING'

/** First line by the kind letter of the endpoint that a number routes to. */
const firstLines = async (tables: Tables, accountId: string, userId: string): Promise<Record<string, string | undefined>> => {
  const [[phone], [fax], [sms]] = [
    await tables.phonelines.list(accountId, userId),
    await tables.faxlines.listByOwner(accountId, userId),
    await tables.smsLines.list(accountId, userId),
  ]
  return { p: phone?.id, v: phone?.id, f: fax?.id, s: sms?.id }
}

/** Removes everything that would still ring or notify: registrations, forwardings, notifications, program logins. */
const silence = async (tables: Tables, accountId: string, userId: string): Promise<void> => {
  for (const { id } of await tables.devices.listByOwner(accountId, userId)) await tables.devices.unregister(accountId, id)
  for (const { id } of await tables.phonelines.list(accountId, userId)) {
    await tables.phonelines.removeForwardings(accountId, id)
    for (const { id: parallelId } of await tables.phonelines.listParallelForwardings(accountId, id))
      await tables.phonelines.removeParallelForwarding(accountId, id, parallelId)
  }
  for (const { id } of await tables.smsLines.list(accountId, userId)) await tables.programs.removeLogin(accountId, id)
  await tables.notifications.removeByUser(accountId, userId)
  await tables.leashes.removeByUser(accountId, userId)
}

const handOverJob = 'account.hand_over_history'
const concurrency = 100

interface HandOver {
  accountId: string
  from: string
  to: string
}

/** Runs as a job, because there may be hundreds of thousands of entries. */
const handOverHistory = (tables: Tables, clock: Clock, handOver: HandOver): Promise<void> =>
  tables.jobs.schedule({
    id: `${handOverJob}:${handOver.accountId}:${handOver.from}`,
    kind: handOverJob,
    payload: handOver,
    dueAt: clock.now(),
  })

export const handOverJobs = ({ store, clock }: { store: Store; clock: Clock }): Record<string, Task> => ({
  [handOverJob]: async (payload) => {
    const { accountId, from, to } = payload as HandOver
    let after: HistoryEntry | undefined
    do {
      const page = { limit: concurrency, ...(after && { after }) }
      const entries = await store.read.history.list(accountId, { seenBy: { userId: from, extensions: [] } }, page)
      await store.write(async (tables) => {
        for (const { id, userId } of entries) if (userId === from) await tables.history.update(accountId, id, { userId: to }, clock.now())
      })
      after = entries.length === concurrency ? entries.at(-1) : undefined
    } while (after)
  },
})
