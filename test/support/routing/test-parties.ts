import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { DialTarget } from '#core/kernel/ports/telephony.ts'
import type { Customer } from './scripted-exchange.ts'

/** Parties of a call; dora is in another network. */
export interface TestParties {
  ada: Customer
  bob: Customer
  dora: { number: string }
}

export type Name = keyof TestParties

export const names: readonly Name[] = ['ada', 'bob', 'dora']
export const pairs: readonly (readonly [Name, Name])[] = [
  ['ada', 'bob'],
  ['bob', 'ada'],
  ['dora', 'ada'],
  ['ada', 'dora'],
]

export const customerIn = (parties: TestParties, name: string): Customer | undefined =>
  name === 'ada' || name === 'bob' ? parties[name] : undefined

/** True if the target is this party. */
export const isAt = (parties: TestParties, name: string, target: DialTarget | undefined): boolean => {
  if (target?.kind === 'trunk') return name === 'dora' && target.number === parties.dora.number
  return target !== undefined && target.accountId === customerIn(parties, name)?.accountId
}

export const userOf = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId }) as UserCaller
