import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Flag, Json } from '#adapters/store/schema/columns.ts'
import { asFlag, asJson, asText, asWords, hidden, record } from './record.ts'

interface Table {
  ext: string
  account_id: string
  read_at: number | null
  starred: Flag
  labels: string
  detail: Json | null
  via: string
  bytes: number
}

interface Entity {
  id: string
  accountId: string
  readAt: number | undefined
  starred: boolean
  labels: readonly string[]
  origin: { from: string } | undefined
  via: 'sms' | 'mail'
}

const { columns, changes, fields, first, all } = record<Table, Entity>()({
  ext: 'id',
  starred: asFlag,
  labels: asWords(),
  detail: 'origin',
  origin: asJson<{ from: string }>(),
  via: asText<Entity['via']>(),
  bytes: hidden,
})
const entity: Entity = { id: '1', accountId: '2', readAt: undefined, starred: true, labels: ['a', 'b'], origin: { from: 'x' }, via: 'sms' }
const stored = { ext: '1', account_id: '2', read_at: null, starred: 1, labels: 'a b', detail: '{"from":"x"}', via: 'sms' } as const
const row = { ...stored, bytes: 7 }

test('writes fields to columns and reads them back without hidden columns', () => {
  assert.deepEqual(columns(entity), stored)
  assert.deepEqual(fields(row), entity)
})

test('writes only the named fields, and undefined as NULL', () => {
  assert.deepEqual(columns({ readAt: 5, origin: undefined }), { read_at: 5, detail: null })
  assert.deepEqual(fields({ ...row, labels: '', detail: null }), { ...entity, labels: [], origin: undefined })
})

test('leaves out undefined fields of a change', () => {
  assert.deepEqual(changes({ id: '3', readAt: undefined, starred: false }), { ext: '3', starred: 0 })
  assert.deepEqual(changes({}), {})
})

test('reads rows after one of another width, as after a migration while the service runs', () => {
  const added = { ...row, added_at: 9 }
  assert.deepEqual(fields(added), { ...entity, addedAt: 9 })
  assert.deepEqual(fields(row), entity)
})

test('reads the rows of a query', async () => {
  assert.deepEqual(await all({ execute: async () => [row, row] }), [entity, entity])
  assert.deepEqual(await first({ executeTakeFirst: async () => row }), entity)
  assert.equal(await first({ executeTakeFirst: async () => undefined }), undefined)
})

test('requires a codec, a field name or hidden for each column that is not a field', () => {
  // @ts-expect-error: `starred` needs a codec.
  record<{ starred: Flag }, { starred: boolean }>()({})
  // @ts-expect-error: `bytes` is neither a field nor hidden.
  record<{ id: string; bytes: number }, { id: string }>()({})
  // @ts-expect-error: no column has the field `id`.
  record<{ ext: string }, { id: string }>()({ ext: hidden })
  // @ts-expect-error: `ext` is given a field of another type.
  record<{ ext: string }, { id: number }>()({ ext: 'id' })
  // @ts-expect-error: there is no column or field `extra`.
  record<{ id: string }, { id: string }>()({ extra: asFlag })
})
