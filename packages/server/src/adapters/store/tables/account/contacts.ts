import { sql, type SqlBool } from 'kysely'
import { folded } from '#core/account/contacts/names.ts'
import type { Colleague, Contact, Contacts, TypedSearch } from '#core/kernel/ports/store/account.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hasOneOf } from '../has-one-of.ts'
import { asFlag, asJson, hidden, record } from '../record.ts'
import { countRows } from '../row-counts.ts'

const contact = record<Schema['contact'], Contact>()({
  shared: asFlag,
  emails: asJson<string[]>(),
  numbers: asJson<string[]>(),
  account_id: hidden,
  created_at: hidden,
  folded: hidden,
})

const rowsPerBatch = 500

export const contacts = (db: Db): Contacts => ({
  async listVisible(accountId, userId, { search, after, limit, offset = 0, descending = false } = {}) {
    const order = descending ? 'desc' : 'asc'
    const beyond = sql.raw(descending ? '<' : '>')
    const rows = await sought(visible(db, accountId, userId), accountId, search)
      .$if(after !== undefined, (query) => query.where(sql<SqlBool>`(folded, id) ${beyond} (${after?.folded}, ${after?.id})`))
      .$if(limit !== undefined, (query) => query.limit(limit ?? 0).offset(offset))
      .orderBy('folded', order)
      .orderBy('id', order)
      .execute()
    return rows.map((row) => ({ ...contact.fields(row), folded: row.folded }))
  },

  async countVisible(accountId, userId, search) {
    return countRows(sought(visible(db, accountId, userId), accountId, search).clearSelect())
  },

  async widths(accountId, userId) {
    const { numbers, emails } = await visible(db, accountId, userId)
      .clearSelect()
      .select([widest('numbers').as('numbers'), widest('emails').as('emails')])
      .executeTakeFirstOrThrow()
    return { numbers: numbers ?? 1, emails: emails ?? 1 }
  },

  async findVisible(accountId, userId, id) {
    return contact.first(visible(db, accountId, userId).where('id', '=', id))
  },

  async find(accountId, id) {
    return contact.first(db.selectFrom('contact').selectAll().where('account_id', '=', accountId).where('id', '=', id))
  },

  async count(accountId) {
    return countRows(db.selectFrom('contact').where('account_id', '=', accountId))
  },

  async insert(accountId, contacts, at) {
    for (let from = 0; from < contacts.length; from += rowsPerBatch)
      await db
        .insertInto('contact')
        .values(
          contacts
            .slice(from, from + rowsPerBatch)
            .map(({ id, owner, ...rest }) => ({ id, account_id: accountId, owner, ...columns(rest), created_at: at })),
        )
        .execute()
  },

  async update(accountId, { id, ...change }) {
    await db.updateTable('contact').set(columns(change)).where('account_id', '=', accountId).where('id', '=', id).execute()
  },

  async remove(accountId, id) {
    await db.deleteFrom('contact').where('account_id', '=', accountId).where('id', '=', id).execute()
  },

  async removePrivate(accountId, owner) {
    await db.deleteFrom('contact').where('account_id', '=', accountId).where('owner', '=', owner).where('shared', '=', 0).execute()
  },

  async findNames(accountId, userId, numbers) {
    const [contacts, own] = await Promise.all([namedByContacts(db, accountId, userId, numbers), namedByRoutes(db, accountId, numbers)])
    return [...contacts, ...own.flatMap((row) => namedRoute(row))]
  },

  async colleagues(accountId) {
    const people = await usersAndGroups(db, accountId)
    const found = new Map<string, Colleague>(
      people.map(({ ext, alias, email }) => [ext, { id: ext, name: alias, email: email ?? undefined, numbers: [] }]),
    )
    for (const { ext, kind, owner, e164, short, type } of await routedNumbers(db, accountId)) {
      const number = e164 ?? short
      const colleague = found.get(ext) ?? found.get(owner ?? '')
      if (number !== null) colleague?.numbers.push({ number, type, fax: kind === 'f' })
    }
    return [...found.values()]
  },
})

/** Length of the longest string array, by its separators: a quote inside a string is escaped. */
const widest = (column: 'numbers' | 'emails') =>
  sql<number | null>`max((length(${sql.ref(column)}) - length(replace(${sql.ref(column)}, '","', ''))) / 3) + 1`

const visible = (db: Db, accountId: string, userId: string) =>
  db
    .selectFrom('contact')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('owner', '=', userId), eb('shared', '=', 1)]))

/** Searches digits in numbers, letters in names and e-mail addresses. */
const sought = (query: ReturnType<typeof visible>, accountId: string, search: TypedSearch | undefined) => {
  if (!search) return query
  const { digits, names } = search
  if (digits.length === 0) return query.where(sql<SqlBool>`(${hasOneOf('folded', names)} or ${hasOneOf('emails', names)})`)
  return query.where(
    sql<SqlBool>`id in (select contact_id from contact_number where account_id = ${accountId} and ${hasOneOf('e164', digits)})`,
  )
}

const namedByContacts = (db: Db, accountId: string, userId: string | undefined, numbers: readonly string[]) =>
  db
    .selectFrom('contact_number')
    .innerJoin('contact', 'contact.id', 'contact_number.contact_id')
    .select(['contact_number.e164 as number', 'contact.name', 'contact.id as contactId'])
    .where('contact_number.account_id', '=', accountId)
    .where('contact_number.e164', 'in', numbers)
    .where((eb) => eb.or([eb('contact.owner', '=', userId ?? ''), eb('contact.shared', '=', 1)]))
    .orderBy((eb) =>
      eb
        .case()
        .when('contact.owner', '=', userId ?? '')
        .then(sql.lit(0))
        .else(sql.lit(1))
        .end(),
    )
    .orderBy('contact.created_at')
    .orderBy('contact.id')
    .execute()

const namedByRoutes = (db: Db, accountId: string, numbers: readonly string[]) =>
  db
    .selectFrom('phone_number')
    .leftJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'phone_number.account_id').onRef('extension.ext', '=', 'phone_number.endpoint'),
    )
    .leftJoin('extension as owner', (join) =>
      join.onRef('owner.account_id', '=', 'extension.account_id').onRef('owner.ext', '=', 'extension.owner'),
    )
    .leftJoin('flow', 'flow.id', 'phone_number.flow_id')
    .select(['phone_number.e164', 'phone_number.short', 'extension.alias', 'owner.alias as ownerAlias', 'flow.name as flowName'])
    .where('phone_number.account_id', '=', accountId)
    .where('phone_number.state', '=', 'ACTIVE')
    .where((eb) => eb.or([eb('phone_number.e164', 'in', numbers), eb('phone_number.short', 'in', numbers)]))
    .orderBy('phone_number.created_at')
    .execute()

/** Lines are named after their user, the person to talk to. */
const namedRoute = ({ e164, short, alias, ownerAlias, flowName }: Awaited<ReturnType<typeof namedByRoutes>>[number]) => {
  const number = e164 ?? short
  const name = ownerAlias ?? alias ?? flowName
  return number === null || name === null || name === '' ? [] : [{ number, name, contactId: undefined }]
}

const usersAndGroups = (db: Db, accountId: string) =>
  db
    .selectFrom('extension')
    .leftJoin('app_user', (join) =>
      join.onRef('app_user.account_id', '=', 'extension.account_id').onRef('app_user.ext', '=', 'extension.ext'),
    )
    .select(['extension.ext', 'extension.alias', 'app_user.email'])
    .where('extension.account_id', '=', accountId)
    .where('extension.kind', 'in', ['w', 'g'])
    .where('extension.deleted_at', 'is', null)
    .where('app_user.disabled_at', 'is', null)
    .orderBy('extension.kind', 'desc')
    .orderBy('extension.n')
    .execute()

/** Numbers with their extension and its owner: the group or user itself, or the owner of the line. */
const routedNumbers = (db: Db, accountId: string) =>
  db
    .selectFrom('phone_number')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'phone_number.account_id').onRef('extension.ext', '=', 'phone_number.endpoint'),
    )
    .select(['extension.ext', 'extension.kind', 'extension.owner', 'phone_number.e164', 'phone_number.short', 'phone_number.type'])
    .where('phone_number.account_id', '=', accountId)
    .where('phone_number.state', '=', 'ACTIVE')
    .where('extension.deleted_at', 'is', null)
    .orderBy('phone_number.created_at')
    .orderBy('phone_number.id')
    .execute()

const columns = ({ shared, name, emails, numbers }: Omit<Contact, 'id' | 'owner'>) => ({
  ...contact.columns({ shared, name, emails, numbers }),
  folded: folded(name),
})
