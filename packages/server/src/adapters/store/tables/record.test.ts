import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Flag, Json } from '#adapters/store/schema/columns.ts'
import { asFlag, asJson, asWords, hidden, record } from './record.ts'

interface Table {
  id: string
  account_id: string
  read_at: number | null
  starred: Flag
  labels: string
  detail: Json | null
  bytes: number
}

interface Entity {
  id: string
  accountId: string
  readAt: number | undefined
  starred: boolean
  labels: readonly string[]
  detail: { from: string } | undefined
}

const { columns, fields } = record<Table, Entity>({
  starred: asFlag,
  labels: asWords,
  detail: asJson<{ from: string }>(),
  bytes: hidden,
})
const entity: Entity = { id: '1', accountId: '2', readAt: undefined, starred: true, labels: ['a', 'b'], detail: { from: 'x' } }
const stored = { id: '1', account_id: '2', read_at: null, starred: 1, labels: 'a b', detail: '{"from":"x"}' } as const

test('writes fields to columns and reads them back without hidden columns', () => {
  assert.deepEqual(columns(entity), stored)
  assert.deepEqual(fields({ ...stored, bytes: 7 }), entity)
})

test('writes only the named fields, and undefined as NULL', () => {
  assert.deepEqual(columns({ readAt: 5, detail: undefined }), { read_at: 5, detail: null })
  assert.deepEqual(fields({ ...stored, labels: '', bytes: 7 }).labels, [])
})

test('reads rows after one of another width, as after a migration while the service runs', () => {
  const added = { ...stored, bytes: 7, added_at: 9 }
  assert.deepEqual(fields(added), { ...entity, addedAt: 9 })
  assert.deepEqual(fields({ ...stored, bytes: 7 }), entity)
})
