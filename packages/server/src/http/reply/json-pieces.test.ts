import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonPieces } from './send-json.ts'

const elements = (length: number): object[] =>
  Array.from({ length }, (_, nth) => ({ id: `id-${nth}`, name: `"Müller" \\ ${nth}`, none: undefined }))

const replies: Record<string, unknown> = {
  text: 'plain',
  list: elements(100),
  nothing: {},
  few: { items: elements(3), totalCount: 3 },
  empty: { items: [], others: elements(21) },
  many: { before: 1, items: elements(1_000), gone: undefined, nested: { items: elements(30) }, 'odd "name"': null },
  holes: { items: [undefined, null, ...elements(30)] },
  dates: { items: elements(25), at: new Date(0) },
}

for (const [name, reply] of Object.entries(replies))
  test(`writes the same text as JSON.stringify: ${name}`, () => assert.equal([...jsonPieces(reply)].join(''), JSON.stringify(reply)))

test('writes a long list in chunks that take less than a millisecond each', () => {
  const pieces = [...jsonPieces({ items: elements(20_000), totalCount: 20_000 })]
  assert.ok(pieces.length > 10)
  assert.ok(pieces.every(({ length }) => length < 66_000))
})
