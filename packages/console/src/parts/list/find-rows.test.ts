import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column, Filter } from './columns.ts'
import { toCsv } from './csv.ts'
import { findRows, isIn } from './find-rows.ts'

interface Device {
  name: string
  number?: string
  calls: number
}

const devices: Device[] = [
  { name: 'Desk 10', number: '+49 30 2312 5927', calls: 3 },
  { name: 'desk 9', calls: 12 },
  { name: 'Ömer', number: '+4915790000001', calls: 7 },
]
const columns: Column<Device>[] = [
  { key: 'name', header: 'Name', value: ({ name }) => name },
  { key: 'number', header: 'Number', value: ({ number }) => number },
  { key: 'calls', header: 'Calls', value: ({ calls }) => calls },
]
const busy: Filter<Device> = { key: 'busy', label: 'Busy', options: [{ value: 'yes', label: 'Yes' }], fits: ({ calls }) => calls > 5 }

const found = (search = '', sort = '', filter = ''): string[] =>
  findRows(devices, { search, sort, filter: () => filter }, { columns, filters: [busy], language: 'de' }).map(({ name }) => name)

test('sorts in natural order, both ways, with missing values last', () => {
  assert.deepEqual(found(), ['Desk 10', 'desk 9', 'Ömer'])
  assert.deepEqual(found('', 'name'), ['desk 9', 'Desk 10', 'Ömer'])
  assert.deepEqual(found('', '-calls'), ['desk 9', 'Ömer', 'Desk 10'])
  for (const sort of ['number', '-number']) assert.equal(found('', sort).at(-1), 'desk 9')
  assert.deepEqual(found('', 'nothing of the kind'), found())
})

test('searches by words and by numbers in any spelling, and applies filters', () => {
  assert.deepEqual(found('DESK'), ['Desk 10', 'desk 9'])
  assert.deepEqual(found('10 desk'), ['Desk 10'])
  assert.deepEqual(found('030 2312'), ['Desk 10'])
  assert.deepEqual(found('0157/9000'), ['Ömer'])
  assert.deepEqual(found('desk', '', 'yes'), ['desk 9'])
  assert.equal(isIn('0', ['+49']), false)
})

test('exports the list as CSV without formulas', () => {
  const rows = [...devices.slice(0, 1), { name: '=1+1', number: '+4930', calls: -2 }, { name: 'a "b", c', number: '-1+2', calls: 0 }]
  assert.equal(
    toCsv(columns, rows),
    '\uFEFFName,Number,Calls\r\nDesk 10,+49 30 2312 5927,3\r\n\'=1+1,+4930,-2\r\n"a ""b"", c",\'-1+2,0\r\n',
  )
})
