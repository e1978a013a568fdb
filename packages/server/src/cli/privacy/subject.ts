import type { SubjectType } from '@offhook/contract/data-subject.ts'
import { connect, firstRunNotes, type Connection, type ConnectionOptions } from '../connection/connection.ts'
import { Mistake } from '../terminal/mistake.ts'

export interface SubjectOptions extends ConnectionOptions {
  /** Account id, for the operator. */
  account?: string
}

const types: Record<string, SubjectType> = { account: 'ACCOUNT', user: 'USER', contact: 'CONTACT', number: 'NUMBER' }

export const subjectOf = (type: string, id: string | undefined): { type: SubjectType; id?: string } => {
  const known = types[type]
  if (known === undefined) throw new Mistake(2, `${type}? There are: ${Object.keys(types).join(', ')}`)
  if (known === 'ACCOUNT' && id !== undefined)
    throw new Mistake(2, 'account takes no id. As the operator, name the account with --account.')
  if (known !== 'ACCOUNT' && id === undefined)
    throw new Mistake(2, `Which ${type}? Name its ${type === 'number' ? 'digits, such as +493023125001' : 'id'}.`)
  return { type: known, ...(id !== undefined && { id }) }
}

/** With --account as the operator, by the token of the first start; without it as a user. */
export const connectFor = async ({ account, ...options }: SubjectOptions): Promise<Connection> => {
  const { operator } = await firstRunNotes()
  const token = options.token ?? (account === undefined ? undefined : operator?.token)
  if (account !== undefined && token === undefined) throw new Mistake(2, 'A token of the operator is needed with --account: --token')
  return connect({ ...options, ...(token !== undefined && { token }) })
}
