import { randomBytes } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { DataSubject } from '#core/kernel/ports/account.ts'
import type { RawDatabase } from '../raw-database.ts'
import { Mentions, placeholder, type Person } from './mentions.ts'

/** A subject with all search keys for its rows. */
export interface Scope {
  readonly subject: DataSubject
  readonly accountId: string
  /** Bound in the rules of the catalogue. */
  readonly params: Readonly<Record<string, string | number>>
  readonly person: Person
  readonly mentions: Mentions
  /** False when the database has no such subject. */
  readonly exists: boolean
}

const nobody: Person = { numbers: [], names: [], emails: [] }

/** `also`: other names of the person. */
export const scopeOf = async (database: RawDatabase, subject: DataSubject, now: number, also = nobody): Promise<Scope> => {
  const { accountId } = subject
  const found = await find(database, subject)
  const person = {
    numbers: [...found.person.numbers, ...also.numbers],
    names: [...found.person.names, ...also.names],
    emails: [...found.person.emails, ...also.emails],
  }
  return {
    subject,
    accountId,
    params: {
      account: accountId,
      user: subject.type === 'user' ? subject.userId : '',
      subject: found.subject ?? '',
      now,
      pseudonym: `${placeholder}-${randomBytes(4).toString('hex')}`,
    },
    person,
    mentions: new Mentions(person),
    exists: found.exists,
  }
}

interface Found {
  person: Person
  exists: boolean
  subject?: string
}

const find = (database: RawDatabase, subject: DataSubject): Promise<Found> => {
  if (subject.type === 'account') return findAccount(database, subject.accountId)
  if (subject.type === 'user') return findUser(database, subject)
  if (subject.type === 'contact') return findContact(database, subject)
  return findNumber(database, subject)
}

/** For texts without an account: sent mails, the audit log of operators. */
const findAccount = async (database: RawDatabase, accountId: string): Promise<Found> => {
  const [account] = await database.read(sql<{ company: string }>`select company from account where id = ${accountId}`)
  if (!account) return { person: nobody, exists: false }
  const users = await database.read(sql<UserRow>`select subject, firstname, lastname, email from app_user where account_id = ${accountId}`)
  const invited = await database.read(
    sql<Omit<UserRow, 'subject'>>`select firstname, lastname, email from invitation where account_id = ${accountId}`,
  )
  const numbers = await database.read(
    sql<{ e164: string }>`select e164 from phone_number where account_id = ${accountId} and e164 is not null`,
  )
  const people = [...users, ...invited]
  return {
    exists: account.company !== placeholder || users.length > 0,
    person: {
      numbers: numbers.map(({ e164 }) => e164),
      names: [...(account.company === placeholder ? [] : [account.company]), ...people.flatMap(namesOf)],
      emails: people.map(({ email }) => email),
    },
  }
}

interface UserRow {
  subject: string
  firstname: string
  lastname: string
  email: string
}

const findUser = async (database: RawDatabase, { accountId, userId }: DataSubject & { type: 'user' }): Promise<Found> => {
  const [user] = await database.read(
    sql<UserRow>`select subject, firstname, lastname, email from app_user where account_id = ${accountId} and ext = ${userId}`,
  )
  if (!user) return { person: nobody, exists: false }
  const devices = await database.read(
    sql<{ number: string }>`select external_number as number from device
      where account_id = ${accountId} and owner = ${userId} and external_number is not null`,
  )
  const pending = await database.read(
    sql<{ email: string }>`select email from email_change where account_id = ${accountId} and user_ext = ${userId}`,
  )
  const own = new Set((await ownNumbers(database, accountId)).map(({ e164 }) => e164))
  return {
    exists: true,
    subject: user.subject,
    person: {
      numbers: devices.map(({ number }) => number).filter((number) => number.startsWith('+') && !own.has(number)),
      names: namesOf(user),
      emails: [user.email, ...pending.map(({ email }) => email)],
    },
  }
}

const namesOf = ({ firstname, lastname }: Pick<UserRow, 'firstname' | 'lastname'>): string[] =>
  firstname === '' || lastname === '' ? [] : [`${firstname} ${lastname}`, `${lastname}, ${firstname}`, `${lastname} ${firstname}`]

const findContact = async (database: RawDatabase, { accountId, contactId }: DataSubject & { type: 'contact' }): Promise<Found> => {
  const [contact] = await database.read(
    sql<{ name: string; emails: string; numbers: string }>`select name, emails, numbers from contact
      where account_id = ${accountId} and id = ${contactId}`,
  )
  if (!contact) return { person: nobody, exists: false }
  const own = new Set((await ownNumbers(database, accountId)).map(({ e164 }) => e164))
  return {
    exists: true,
    person: {
      numbers: (JSON.parse(contact.numbers) as string[]).filter((number) => !own.has(number)),
      names: [contact.name],
      emails: JSON.parse(contact.emails) as string[],
    },
  }
}

/** A number of the account itself is not a caller: erasing it would erase the history of its line. */
const findNumber = async (database: RawDatabase, { accountId, number }: DataSubject & { type: 'number' }): Promise<Found> => {
  const isOwn = (await ownNumbers(database, accountId, number)).length > 0
  return { exists: !isOwn, person: isOwn ? nobody : { ...nobody, numbers: [number] } }
}

const ownNumbers = (database: RawDatabase, accountId: string, number?: string): Promise<{ e164: string }[]> => {
  const only = number === undefined ? sql`` : sql`and e164 = ${number}`
  return database.read(sql<{ e164: string }>`select e164 from phone_number where account_id = ${accountId} and e164 is not null ${only}`)
}

/** SQL of the catalogue with its parameters bound. */
export const bound = (text: string, params: Scope['params']): RawBuilder<unknown> => {
  const parts = text.split(/:(\w+)/)
  return sql.join(
    parts.map((part, index) => {
      if (index % 2 === 0) return sql.raw(part)
      const value = params[part]
      if (value === undefined) throw new Error(`the catalogue of personal data names :${part}, which is not bound`)
      return sql`${value}`
    }),
    sql.raw(''),
  )
}
