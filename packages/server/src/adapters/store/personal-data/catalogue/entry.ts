import type { Selectable } from 'kysely'
import type { Schema } from '#adapters/store/schema/index.ts'

export type Table = keyof Schema
type Column<T extends Table> = keyof Selectable<Schema[T]> & string

/** Columns with free text: enumerations checked by the database are excluded. */
type TextColumn<T extends Table> = {
  [C in Column<T>]-?: string extends NonNullable<Selectable<Schema[T]>[C]> ? C : never
}[Column<T>]

/** Kinds of data of a column, with their meaning in docs/personal-data.md. */
export const kinds = {
  no: 'nothing about a person: states, settings of machines, hashes',
  id: 'an id that names a person only together with another table: extension, account, call, message',
  name: 'a name of a person or company',
  email: 'an e-mail address',
  number: 'a phone number',
  address: 'a postal address',
  network: 'an IP address, a SIP address or a program',
  words: 'words that people wrote or said, and may mention anybody',
  content: 'sound or documents',
  secret: 'a credential, sealed or hashed',
} as const
export type Kind = keyof typeof kinds

/** SQL expressions by column: the row stays without the person's data. */
type Change<T extends Table> = { readonly [C in Column<T>]?: string }

/** `where` is SQL for both databases; `:account`, `:user` (an extension), `:subject` and `:now` are bound. */
interface Rule<T extends Table> {
  where: string
  /** Default: the row is deleted. */
  erase?: 'keep' | Change<T>
}

export interface Entry<T extends Table> {
  about: string
  /** Lifetime of a row without an erasure. */
  kept: string
  seenBy: string
  /** Unique columns, in the order of an index. */
  key: readonly Column<T>[]
  columns: Readonly<Record<TextColumn<T>, Kind>>
  /** Rows of an account, and their treatment when the account is erased. */
  account: Rule<T>
  /** Rows of a user. */
  user?: Rule<T>
  /** Rows with the person's number in one of these columns. */
  number?: { columns: readonly Column<T>[]; erase?: Change<T> }
  /** The call, message or fax of the row: it is erased together with all its rows. */
  event?: Column<T>
  /** Columns with the event (call, message, fax) for the other tables, if the row is found by user or number. */
  names?: readonly Column<T>[]
  /**
   * Treatment of a row whose text contains a number, name or e-mail of the person: `redact` replaces it, `prune` removes the list element
   * for the person (a transfer target, an allowed number), `delete` removes the row, `leave` keeps it for the reason in `about`.
   */
  mention: 'redact' | 'prune' | 'delete' | 'leave'
  /** Rows to search for mentions, if they are more than those of the account. */
  mentionWhere?: string
}

/** Rows with an account column. */
export const ofAccount = { where: 'account_id = :account' } as const

/** No row of the table belongs to one account. */
export const ofNoAccount = { where: '1 = 0' } as const

const ownExtensions = `select ext from extension where account_id = :account and (ext = :user or owner = :user)`

/** An extension of the user: the user, its devices and lines, and voicemails of lines. */
export const ofUsersExtension = (column: string): { where: string } => ({
  where: `account_id = :account and (${column} in (${ownExtensions})
    or ${column} in (select ext from extension where account_id = :account and owner in (${ownExtensions})))`,
})

/** Finds the parent in rules of children. */
export const ofParent = (column: string, parent: string, key = 'id'): { where: string } => ({
  where: `${column} in (select ${key} from ${parent} where account_id = :account)`,
})

export const administrators = 'administrators of the account'
export const nobody = 'nobody; the service only'
export const untilErased = 'until the account or the person is erased'
export const untilRemoved = 'until it is removed, or the account is erased'
