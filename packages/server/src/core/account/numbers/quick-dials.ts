import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { emergencyNumbersOf } from '#core/kernel/phone-numbers/short-numbers.ts'

interface QuickDialInput {
  /** A user (whose first phone line is used), a group or a phone line. */
  userId: string
  /** Default: the current one, else the next free one. */
  number?: string
}

export const addQuickDial = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: QuickDialInput): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId) // prevents its target from being deleted or getting another quick dial concurrently
  const short = input.number ?? (await nextFree(tables, accountId))
  await requireFreeQuickDial(tables, accountId, short)
  const endpointId = await quickDialTarget(tables, accountId, input.userId)
  await requireOnlyQuickDial(tables, accountId, endpointId)
  const number = { id, short, type: 'QUICKDIAL', state: 'ACTIVE', endpointId, createdAt: clock.now() } as const
  if (!(await tables.numbers.insert(accountId, number))) throw new Problem('quickdial_taken')
  await auditByUser(tables, clock, caller, 'quickdial.create', id, { number: short, endpointId })
}

export const changeQuickDial = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  input: QuickDialInput,
): Promise<void> => {
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

export const hasQuickDial = async (tables: Tables, accountId: string, endpointId: string, exceptId?: string): Promise<boolean> =>
  (await tables.numbers.listByEndpoint(accountId, endpointId)).some(({ id, type }) => type === 'QUICKDIAL' && id !== exceptId)

/** A user, group or phone line can have only one quick dial. */
export const requireOnlyQuickDial = async (tables: Tables, accountId: string, endpointId: string, exceptId?: string): Promise<void> => {
  if (await hasQuickDial(tables, accountId, endpointId, exceptId)) throw new Problem('quickdial_per_routing')
}

/** Throws the reason why the account cannot have this quick dial. */
export const requireFreeQuickDial = async (tables: Tables, accountId: string, number: string, exceptId?: string): Promise<void> => {
  const verdict = checkQuickDial(number, await countryOf(tables, accountId))
  if (verdict !== 'ok') throw Problem.field('number', `is refused: ${verdict.refused}`)
  const taken = await tables.numbers.findQuickDial(accountId, number)
  if (taken && taken.id !== exceptId) throw new Problem('quickdial_taken')
}

const countryOf = async (tables: Tables, accountId: string): Promise<string> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return account.country
}

/** The smallest free number; skips 11, the prefix of 110 and 112, which must be requested explicitly. */
const nextFree = async (tables: Tables, accountId: string): Promise<string> => {
  const taken = new Set((await tables.numbers.list(accountId)).map(({ short }) => short))
  const country = await countryOf(tables, accountId)
  for (let number = 10; number <= 99_999; number++) {
    const short = String(number)
    if (short !== '11' && !taken.has(short) && checkQuickDial(short, country) === 'ok') return short
  }
  throw new Problem('quickdial_taken', 'Every quick dial number is taken.')
}

/** Returns its digits. */
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

/** Reserved as quick dials and as prefixes: a phone would connect as soon as these digits are complete. */
const refusedBeginnings: readonly { matches: RegExp; why: string }[] = [
  { matches: /^11\d/, why: 'numbers beginning with 110 to 119 are emergency and service numbers' },
  { matches: /^[2-9]11/, why: 'numbers beginning with 211, 311, 411, 511, 611, 711, 811 or 911 are service numbers' },
  { matches: /^99/, why: 'numbers beginning with 99 are reserved for emergency calls and the network' },
  { matches: /^50000$/, why: '50000 is the access number of the voicemail' },
]

/** Whether a number can be a quick dial in this country; does not check whether it is free in the account. */
export function checkQuickDial(number: string, country: string): 'ok' | { refused: string } {
  if (!/^[0-9]*$/.test(number)) return { refused: 'a quick dial number has digits only' }
  if (number.length < 2 || number.length > 5) return { refused: 'a quick dial number has 2 to 5 digits' }
  if (number.startsWith('0')) return { refused: 'a quick dial number does not begin with 0' }
  const rule = refusedBeginnings.find(({ matches }) => matches.test(number))
  if (rule) return { refused: rule.why }
  return emergencyNumbersOf(country).has(number) ? { refused: 'this is an emergency number' } : 'ok'
}
