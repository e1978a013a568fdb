import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column } from './columns.ts'
import { toCsv } from './csv.ts'

const columns: Column<{ text: string }>[] = [{ key: 'text', header: 'Text', value: ({ text }) => text }]

const written = (text: string): string => toCsv(columns, [{ text }]).split('\r\n').slice(1, -1).join('\r\n')

test('keeps cells as text unless they are a phone number or an amount', () => {
  for (const cell of ["+1+cmd|'/C calc'!A0", '+49211-1', '=1', '-cmd', '-1+1', '@a', '＝1']) assert.equal(written(cell), `'${cell}`, cell)
  for (const cell of ['+4930123', '+49 30 123', '-12.50', '-1,5']) assert.equal(written(cell).replaceAll('"', ''), cell, cell)
  assert.equal(written('x;=1+1'), `"x;'=1+1"`)
})
