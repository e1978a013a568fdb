import { createHmac } from 'node:crypto'
import type { SubjectType } from '@offhook/contract/data-subject.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { DataSubject, PersonalData } from '#core/kernel/ports/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'

/** Subject as sent by a client. */
interface SubjectInput {
  type: SubjectType
  id?: string
}

const e164 = /^\+[1-9]\d{5,14}$/

export const readSubject = (accountId: string, { type, id }: SubjectInput): DataSubject => {
  if (type === 'ACCOUNT') {
    if (id !== undefined) throw Problem.field('subject/id', 'must be left out: the account is known')
    return { type: 'account', accountId }
  }
  if (id === undefined) throw Problem.field('subject/id', 'is required')
  if (type === 'USER') return { type: 'user', accountId, userId: id }
  if (type === 'CONTACT') return { type: 'contact', accountId, contactId: id }
  if (!e164.test(id)) throw Problem.field('subject/id', 'must be a number in E.164, such as +493023125001')
  return { type: 'number', accountId, number: id }
}

export const typeOfSubject = ({ type }: DataSubject): SubjectType => type.toUpperCase() as SubjectType

/** Undefined for an account. */
export const idOfSubject = (subject: DataSubject): string | undefined => {
  if (subject.type === 'user') return subject.userId
  if (subject.type === 'contact') return subject.contactId
  return subject.type === 'number' ? subject.number : undefined
}

/** Keyed hash of a subject: identifies it in records without a personal value. */
export const referenceOf = (vault: Pick<Vault, 'derive'>, subject: DataSubject): string =>
  createHmac('sha256', vault.derive('privacy reference'))
    .update(JSON.stringify([subject.type, subject.accountId, idOfSubject(subject) ?? '']))
    .digest('hex')
    .slice(0, 32)

export const sealSubject = (vault: Vault, subject: DataSubject): string => vault.seal(JSON.stringify(subject))

export const openSubject = (vault: Vault, sealed: string): DataSubject => JSON.parse(vault.open(sealed)) as DataSubject

const notFound = {
  account: () => new Problem('account_not_found'),
  user: () => new Problem('user_not_found'),
  contact: () => new Problem('contact_not_found'),
  number: () => new Problem('number_not_found', 'Nothing is stored about this number.'),
} as const satisfies Record<DataSubject['type'], () => Problem>

export const requireSubject = async (tables: Tables, personalData: PersonalData, subject: DataSubject): Promise<void> => {
  if (subject.type === 'number' && (await tables.numbers.findByE164(subject.accountId, subject.number)))
    throw new Problem('conflict', 'This number belongs to the account. Choose the user or the account instead.')
  if (!(await personalData.exists(subject))) throw notFound[subject.type]()
}
