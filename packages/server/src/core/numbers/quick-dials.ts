import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'
import { checkQuickDial } from './quick-dial.ts'
import { requireOnlyQuickDial } from './route.ts'

export interface QuickDialWish {
  /** A user (meaning the first phone line), a group or a phone line. */
  userId: string
  number: string
}

export const addQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, wish: QuickDialWish): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId) // so that its target is not deleted, nor given another one, at the same moment
  await requireFreeQuickDial(tables, accountId, wish.number)
  const endpointId = await quickDialTarget(tables, accountId, wish.userId)
  await requireOnlyQuickDial(tables, accountId, endpointId)
  const number = { id, short: wish.number, type: 'QUICKDIAL', state: 'ACTIVE', endpointId, createdAt: clock.now() } as const
  if (!(await tables.numbers.insert(accountId, number))) throw new Problem('quickdial_taken')
  await note(tables, clock, caller, 'quickdial.create', id, { number: wish.number, endpointId })
}

export const changeQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, wish: QuickDialWish): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  await requireQuickDial(tables, accountId, id)
  await requireFreeQuickDial(tables, accountId, wish.number, id)
  const endpointId = await quickDialTarget(tables, accountId, wish.userId)
  await requireOnlyQuickDial(tables, accountId, endpointId, id)
  await tables.numbers.setQuickDial(accountId, id, { short: wish.number, endpointId })
  await note(tables, clock, caller, 'quickdial.change', id, { number: wish.number, endpointId })
}

export const removeQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await requireQuickDial(tables, caller.accountId, id)
  await tables.numbers.remove(caller.accountId, id)
  await note(tables, clock, caller, 'quickdial.delete', id)
}

/** Throws the reason when the account cannot have this quick dial. */
export const requireFreeQuickDial = async (tables: Tables, accountId: string, number: string, exceptId?: string): Promise<void> => {
  const verdict = checkQuickDial(number)
  if (verdict !== 'ok') throw Problem.field('number', `is refused: ${verdict.refused}`)
  const taken = await tables.numbers.findQuickDial(accountId, number)
  if (taken && taken.id !== exceptId) throw new Problem('quickdial_taken')
}

const requireQuickDial = async (tables: Tables, accountId: string, id: string): Promise<void> => {
  const number = await tables.numbers.lock(accountId, id)
  if (number?.type !== 'QUICKDIAL') throw new Problem('number_not_found')
}

const quickDialTarget = async (tables: Tables, accountId: string, target: string): Promise<string> => {
  const extension = await tables.extensions.find(accountId, target)
  if (extension?.kind === 'p' || extension?.kind === 'g') return target
  const [phoneline] = extension?.kind === 'w' ? await tables.extensions.listOwned(accountId, target, 'p') : []
  if (!phoneline) throw Problem.field('userId', 'is no user with a phone line, no phone line and no group of this account')
  return phoneline.id
}

const note = (tables: Tables, clock: Clock, caller: UserCaller, action: string, target: string, detail?: unknown): Promise<void> =>
  tables.audit.append(caller.accountId, { at: clock.now(), actor: `user:${caller.userId}`, action, target, detail })
