import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { SelectQueryBuilder, Updateable } from 'kysely'
import type { AccountNumber, NewNumber, Numbers } from '#core/kernel/ports/store/number.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { record } from '../record.ts'
import { hasEffect } from '../row-counts.ts'

/** Only for writing: calls read numbers all the time. */
const newNumber = record<Pick<Schema['phone_number'], NewColumn>, NewNumber>()({ endpoint: 'endpointId' })
type NewColumn = 'id' | 'e164' | 'short' | 'type' | 'state' | 'endpoint' | 'address_id' | 'approved_place' | 'decide_by' | 'created_at'

const callable = ['ACTIVE', 'ADDRESS_PENDING'] as const
const finishedPortings = [500, 600]

export const numbers = (db: Db, dialect: Dialect): Numbers => {
  const callableByE164 = hotRow(db, (e164: string) => inService(db, e164))
  return {
    list: (accountId) => many(select(db).where('phone_number.account_id', '=', accountId)),

    listByUser: (accountId, userId) =>
      many(
        select(db)
          .where('phone_number.account_id', '=', accountId)
          .where((eb) => eb.or([eb('extension.owner', '=', userId), eb('parent.owner', '=', userId)])),
      ),

    listByEndpoint: (accountId, endpointId) =>
      many(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.endpoint', '=', endpointId)),

    listByFlow: (accountId, flowId) =>
      many(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.flow_id', '=', flowId)),

    listByAddress: (accountId, addressId) =>
      many(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.address_id', '=', addressId)),

    find: (accountId, id) => one(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.id', '=', id)),

    async lock(accountId, id) {
      if (dialect === 'postgres')
        await db.selectFrom('phone_number').select('id').where('account_id', '=', accountId).where('id', '=', id).forUpdate().execute()
      return one(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.id', '=', id))
    },

    findByE164: (accountId, e164) => one(inService(db, e164).where('phone_number.account_id', '=', accountId)),

    async findCallable(e164) {
      const row = await callableByE164(e164)
      return row && toNumber(row)
    },

    listPortedOut: (e164) => many(select(db).where('phone_number.e164', '=', e164).where('phone_number.state', '=', 'PORTED_OUT')),

    findQuickDial: (accountId, short) =>
      one(select(db).where('phone_number.account_id', '=', accountId).where('phone_number.short', '=', short)),

    async insert(accountId, input) {
      return hasEffect(
        db
          .insertInto('phone_number')
          .values({ account_id: accountId, ...newNumber.columns(input) })
          .onConflict((conflict) => conflict.doNothing()),
      )
    },

    setRouting: (accountId, id, { endpointId, flowId }) =>
      change(db, accountId, id, { endpoint: endpointId ?? null, flow_id: flowId ?? null }),

    setQuickDial: (accountId, id, { short, endpointId }) => change(db, accountId, id, { short, endpoint: endpointId, flow_id: null }),

    setState: (accountId, id, state, decideBy) => change(db, accountId, id, { state, decide_by: decideBy ?? null }),

    approvePlace: (accountId, id, place) => change(db, accountId, id, { approved_place: place }),

    setVariables: (accountId, id, variables) =>
      change(db, accountId, id, { variables: variables === undefined ? null : JSON.stringify(variables) }),

    setMnpRelease: (accountId, id, until) => change(db, accountId, id, { mnp_released_until: until ?? null }),

    async remove(accountId, id) {
      await db.deleteFrom('routing').where('account_id', '=', accountId).where('target', '=', id).execute()
      return hasEffect(db.deleteFrom('phone_number').where('account_id', '=', accountId).where('id', '=', id))
    },

    page: ({ after, limit, offset = 0, accountId, e164 }) =>
      many(
        select(db)
          .where('phone_number.type', '!=', 'QUICKDIAL')
          .where('phone_number.id', '>', after)
          .$if(accountId !== undefined, (query) => query.where('phone_number.account_id', '=', accountId ?? ''))
          .$if(e164 !== undefined, (query) => query.where('phone_number.e164', '=', e164 ?? ''))
          .limit(limit)
          .offset(offset),
        'id',
      ),

    findAnywhere: (id) => one(select(db).where('phone_number.id', '=', id)),
  }
}

/** A number with its destination and its open porting. */
const select = (db: Db) =>
  db
    .selectFrom('phone_number')
    .leftJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'phone_number.account_id').onRef('extension.ext', '=', 'phone_number.endpoint'),
    )
    .leftJoin('extension as parent', (join) =>
      join.onRef('parent.account_id', '=', 'extension.account_id').onRef('parent.ext', '=', 'extension.owner'),
    )
    .leftJoin('flow', 'flow.id', 'phone_number.flow_id')
    .leftJoin(openPortings(db).as('arriving'), 'arriving.number_id', 'phone_number.id')
    .selectAll('phone_number')
    .select(['extension.alias', 'extension.owner', 'parent.owner as grand_owner', 'flow.name as flow_name'])
    .select(['arriving.porting_id', 'arriving.status as porting_status'])

const openPortings = (db: Db) =>
  db
    .selectFrom('porting_number')
    .innerJoin('porting', 'porting.id', 'porting_number.porting_id')
    .where('porting.direction', '=', 'IN')
    .where('porting.status', 'not in', finishedPortings)
    .select(['porting_number.number_id', 'porting_number.porting_id', 'porting.status'])

const inService = (db: Db, e164: string) => select(db).where('phone_number.e164', '=', e164).where('phone_number.state', 'in', callable)

type Select = ReturnType<typeof select>
type Row = Select extends SelectQueryBuilder<infer _DB, infer _TB, infer O> ? O : never

const one = async (query: Select): Promise<AccountNumber | undefined> => {
  const row = await query.executeTakeFirst()
  return row && toNumber(row)
}

const many = async (query: Select, order: 'created_at' | 'id' = 'created_at'): Promise<AccountNumber[]> => {
  const rows = await query.orderBy(`phone_number.${order}`).orderBy('phone_number.id').execute()
  return rows.map(toNumber)
}

const change = async (db: Db, accountId: string, id: string, set: Updateable<Schema['phone_number']>): Promise<void> => {
  await db.updateTable('phone_number').set(set).where('account_id', '=', accountId).where('id', '=', id).execute()
}

const toNumber = (row: Row): AccountNumber => ({
  id: row.id,
  accountId: row.account_id,
  e164: row.e164 ?? undefined,
  short: row.short ?? undefined,
  type: row.type,
  state: row.state,
  endpointId: row.endpoint ?? undefined,
  flowId: row.flow_id ?? undefined,
  endpointAlias: row.alias ?? row.flow_name ?? undefined,
  // A voicemail belongs to a phone line, which belongs to a user.
  endpointOwner: row.grand_owner ?? row.owner ?? undefined,
  addressId: row.address_id ?? undefined,
  approvedPlace: row.approved_place ?? undefined,
  mnpReleasedUntil: row.mnp_released_until ?? undefined,
  decideBy: row.decide_by ?? undefined,
  ...(row.variables !== null && { variables: JSON.parse(row.variables) as Variables }),
  porting: row.porting_id === null || row.porting_status === null ? undefined : { id: row.porting_id, status: row.porting_status },
})
