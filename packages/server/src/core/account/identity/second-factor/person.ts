import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account/users.ts'
import { operatorSubject } from '../tokens/tokens.ts'
import { operatorsNeedSecondFactor } from './demands.ts'

/** A user or operator whose password was right. */
export interface Person {
  subject: string
  /** As they are called in an authenticator app. */
  name: string
  passwordHash: string
  /** Whether their account, or the installation, demands a second factor. */
  demanded: boolean
}

export const personOfUser = async (tables: Tables, { accountId, subject, passwordHash }: Credentials, name: string): Promise<Person> => {
  const account = await tables.accounts.find(accountId)
  return { subject, name, passwordHash, demanded: account?.secondFactor ?? false }
}

export const personOfOperator = async (
  tables: Tables,
  { id, passwordHash }: { id: string; passwordHash: string },
  name: string,
): Promise<Person> => ({ subject: operatorSubject(id), name, passwordHash, demanded: await operatorsNeedSecondFactor(tables) })
