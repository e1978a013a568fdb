import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { checkQuickDial } from './quick-dial.ts'
import { requireOnlyQuickDial } from './route.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

export interface QuickDialInput {
  /** A user (meaning the first phone line), a group or a phone line. */
  userId: string
  /** Unset: the next free one, or the one that it has. */
  number?: string
}

export const addQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: QuickDialInput): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId) // so that its target is not deleted, nor given another one, at the same moment
  const short = input.number ?? (await nextFree(tables, accountId))
  await requireFreeQuickDial(tables, accountId, short)
  const endpointId = await quickDialTarget(tables, accountId, input.userId)
  await requireOnlyQuickDial(tables, accountId, endpointId)
  const number = { id, short, type: 'QUICKDIAL', state: 'ACTIVE', endpointId, createdAt: clock.now() } as const
  if (!(await tables.numbers.insert(accountId, number))) throw new Problem('quickdial_taken')
  await auditByUser(tables, clock, caller, 'quickdial.create', id, { number: short, endpointId })
}

export const changeQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: QuickDialInput): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  const present = await requireQuickDial(tables, accountId, id)
  const short = input.number ?? present
  await requireFreeQuickDial(tables, accountId, short, id)
  const endpointId = await quickDialTarget(tables, accountId, input.userId)
  await requireOnlyQuickDial(tables, accountId, endpointId, id)
  await tables.numbers.setQuickDial(accountId, id, { short, endpointId })
  await auditByUser(tables, clock, caller, 'quickdial.change', id, { number: short, endpointId })
}

export const removeQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await requireQuickDial(tables, caller.accountId, id)
  await tables.numbers.remove(caller.accountId, id)
  await auditByUser(tables, clock, caller, 'quickdial.delete', id)
}

/** Throws the reason when the account cannot have this quick dial. */
export const requireFreeQuickDial = async (tables: Tables, accountId: string, number: string, exceptId?: string): Promise<void> => {
  const verdict = checkQuickDial(number)
  if (verdict !== 'ok') throw Problem.field('number', `is refused: ${verdict.refused}`)
  const taken = await tables.numbers.findQuickDial(accountId, number)
  if (taken && taken.id !== exceptId) throw new Problem('quickdial_taken')
}

/** The smallest free one, because short ones are what quick dials are for; but 11, with which 110 and 112 begin, only by wish. */
const nextFree = async (tables: Tables, accountId: string): Promise<string> => {
  const taken = new Set((await tables.numbers.list(accountId)).map(({ short }) => short))
  for (let number = 10; number <= 99_999; number++) {
    const short = String(number)
    if (short !== '11' && !taken.has(short) && checkQuickDial(short) === 'ok') return short
  }
  throw new Problem('quickdial_taken', 'Every quick dial number is taken.')
}

/** Its digits. */
const requireQuickDial = async (tables: Tables, accountId: string, id: string): Promise<string> => {
  const number = await tables.numbers.lock(accountId, id)
  if (number?.type !== 'QUICKDIAL' || number.short === undefined) throw new Problem('number_not_found')
  return number.short
}

const quickDialTarget = async (tables: Tables, accountId: string, target: string): Promise<string> => {
  const extension = await tables.extensions.find(accountId, target)
  if (extension?.kind === 'p' || extension?.kind === 'g') return target
  const [phoneline] = extension?.kind === 'w' ? await tables.extensions.listOwned(accountId, target, 'p') : []
  if (!phoneline) throw Problem.field('userId', 'is no user with a phone line, no phone line and no group of this account')
  return phoneline.id
}
