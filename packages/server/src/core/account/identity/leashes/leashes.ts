import { Problem } from '@offhook/contract/problem.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Leash, LeashRules } from '#core/kernel/ports/store/identity.ts'
import type { LeashUse } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { leashKey, leashOf } from '#core/money/leash.ts'
import type { UserCaller } from '../caller/caller.ts'
import { findApp } from '../oauth/connected-apps.ts'

/** A leash with its holder's name and today's usage. */
export interface LeashView extends Leash {
  name: string
  used: LeashUse
  resetsAt: number
}

interface LeashDeps {
  clock: Clock
  vault: Vault
}

/** Default leash of a self-registered app until its user changes it: only that user has ever reviewed the app, once. */
const firstRules: LeashRules = { confirm: 'client', callsPerDay: 20, smsPerDay: 20, maxSpend: 50_000 }

/** Part of the transaction in which a user consents to an app. Skips apps that have a leash or that a user created. */
export const holdNewApp = async (
  tables: Tables,
  deps: LeashDeps,
  user: { accountId: string; userId: string },
  clientId: string,
): Promise<void> => {
  const app = await findApp(tables, deps, clientId)
  if (!app?.selfRegistered || (await tables.leashes.find(user.accountId, user.userId, clientId))) return
  await tables.leashes.set(user.accountId, { userId: user.userId, id: clientId, holder: 'client', rules: firstRules })
  await auditByUser(tables, deps.clock, user, 'leash.set', clientId, firstRules)
}

const dayMs = 24 * 60 * 60 * 1000

/** Omits the leashes of tokens that no longer exist. */
export const listLeashes = async (tables: Tables, deps: LeashDeps, caller: UserCaller): Promise<LeashView[]> => {
  const views: LeashView[] = []
  for (const leash of await tables.leashes.list(caller.accountId, caller.userId)) {
    const holder = await holderOf(tables, deps, caller, leash.id)
    if (holder) views.push(await viewOf(tables, deps, caller.accountId, leash, holder.name))
  }
  return views
}

export const getLeash = async (tables: Tables, deps: LeashDeps, caller: UserCaller, id: string): Promise<LeashView> => {
  const leash = await tables.leashes.find(caller.accountId, caller.userId, id)
  const holder = leash && (await holderOf(tables, deps, caller, id))
  if (!holder) throw new Problem('leash_not_found')
  return viewOf(tables, deps, caller.accountId, leash, holder.name)
}

/** Leash of the caller's token. */
export const ownLeash = async (tables: Tables, deps: LeashDeps, caller: UserCaller): Promise<LeashView | undefined> => {
  const leash = await leashOf(tables, caller)
  const holder = leash && (await holderOf(tables, deps, caller, leash.id))
  return leash && viewOf(tables, deps, caller.accountId, leash, holder?.name ?? '')
}

export const setLeash = async (tables: Tables, deps: LeashDeps, caller: UserCaller, id: string, rules: LeashRules): Promise<void> => {
  const holder = await holderOf(tables, deps, caller, id)
  if (!holder) throw new Problem('not_found', 'None of your personal tokens or apps has this id.')
  const held = await withTimeZone(tables, caller, rules)
  await tables.leashes.set(caller.accountId, { userId: caller.userId, id, holder: holder.kind, rules: held })
  await auditByUser(tables, deps.clock, caller, 'leash.set', id, withoutNumbers(held))
}

export const removeLeash = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  if (!(await tables.leashes.remove(caller.accountId, caller.userId, id))) throw new Problem('leash_not_found')
  await auditByUser(tables, clock, caller, 'leash.remove', id)
}

const holderOf = async (
  tables: Tables,
  deps: LeashDeps,
  { accountId, userId }: UserCaller,
  id: string,
): Promise<{ kind: Leash['holder']; name: string } | undefined> => {
  const token = (await tables.tokens.listPersonal(accountId, userId)).find((one) => one.id === id)
  if (token) return { kind: 'token', name: token.name }
  const client = await findApp(tables, deps, id)
  return client && { kind: 'client', name: client.name }
}

const viewOf = async (tables: Tables, { clock }: LeashDeps, accountId: string, leash: Leash, name: string): Promise<LeashView> => {
  const now = clock.now()
  const used = await tables.balances.leashUse(accountId, leashKey(leash), now)
  return { ...leash, name, used, resetsAt: (Math.floor(now / dayMs) + 1) * dayMs }
}

/** Hours refer to a time zone; default: the user's. */
const withTimeZone = async (tables: Tables, { accountId, userId }: UserCaller, rules: LeashRules): Promise<LeashRules> => {
  const { hours } = rules
  if (!hours) return rules
  if (hours.from >= hours.to) throw Problem.field('hours/to', 'must be later than from')
  const timeZone = hours.timeZone ?? (await tables.users.find(accountId, userId))?.timezone ?? 'UTC'
  requireTimezone(timeZone, 'hours/timeZone')
  return { ...rules, hours: { ...hours, timeZone } }
}

/** The audit log is kept for ever, phone numbers of people are not. */
const withoutNumbers = ({ allowedNumbers, ...rest }: LeashRules) => ({
  ...rest,
  ...(allowedNumbers && { allowedNumbers: allowedNumbers.length }),
})
