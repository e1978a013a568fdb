import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { DialTarget } from '#core/kernel/ports/telephony.ts'
import type { Customer } from './scripted-exchange.ts'

/** Who takes part; dora is in another network. */
export interface Cast {
  ada: Customer
  bob: Customer
  dora: { number: string }
}

export type Name = keyof Cast

export const names: readonly Name[] = ['ada', 'bob', 'dora']
export const pairs: readonly (readonly [Name, Name])[] = [
  ['ada', 'bob'],
  ['bob', 'ada'],
  ['dora', 'ada'],
  ['ada', 'dora'],
]

export const customerIn = (cast: Cast, name: string): Customer | undefined => (name === 'ada' || name === 'bob' ? cast[name] : undefined)

/** Whether somebody is called there. */
export const isAt = (cast: Cast, name: string, target: DialTarget | undefined): boolean => {
  if (target?.kind === 'trunk') return name === 'dora' && target.number === cast.dora.number
  return target !== undefined && target.accountId === customerIn(cast, name)?.accountId
}

export const userOf = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId }) as UserCaller
