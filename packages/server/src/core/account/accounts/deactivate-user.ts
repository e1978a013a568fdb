import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'
import { revokeUser } from '../identity/tokens/grants.ts'
import { requireAnotherAdmin, lockedUser } from './change-user.ts'
import { handOverHistory } from './hand-over.ts'

/** What becomes of what somebody leaves behind; what is not said stays with the account. */
export interface Leaving {
  /** The user who gets the numbers. */
  numbersTo?: string
  /** The user who gets calls, voicemails, faxes and recordings, or `DELETED`. */
  historyTo?: string
}

/**
 * Until they are activated again nobody logs in as this user, and nothing rings, forwards or is told for them. Lines and devices stay, so
 * that they find them when they come back.
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
  if (historyTo === 'DELETED') await deps.cleanUps.userLeaves(tables, accountId, userId)
  else await deps.cleanUps.userPauses(tables, accountId, userId)
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

/** To the first line of the same kind that the heir has; to none without an heir. Quick dials stay where they are. */
const leadNumbersTo = async (tables: Tables, accountId: string, userId: string, heir: string | undefined): Promise<void> => {
  const targets = heir === undefined ? {} : await firstLines(tables, accountId, heir)
  const routed = (await tables.numbers.listByUser(accountId, userId)).filter(({ type, state }) => type !== 'QUICKDIAL' && isInUse(state))
  for (const { id, endpointId = '' } of routed) {
    const target = targets[endpointId.charAt(0)]
    await tables.numbers.setRouting(accountId, id, target === undefined ? {} : { endpointId: target })
  }
}

const isInUse = (state: AccountNumber['state']): boolean => state === 'ACTIVE' || state === 'ADDRESS_PENDING'

/** By the letter of what a number may lead to. */
const firstLines = async (tables: Tables, accountId: string, userId: string): Promise<Record<string, string | undefined>> => {
  const [[phone], [fax], [sms]] = [
    await tables.phonelines.list(accountId, userId),
    await tables.faxlines.listByOwner(accountId, userId),
    await tables.smsLines.list(accountId, userId),
  ]
  return { p: phone?.id, v: phone?.id, f: fax?.id, s: sms?.id }
}

/** Where calls would still ring or be told: phones, forwardings, notifications, tokens of programs. */
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
