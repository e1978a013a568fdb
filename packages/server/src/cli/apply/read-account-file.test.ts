import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFileBytes, readAccountFile } from './read-account-file.ts'

test('reads YAML and JSON and names the line of a field', () => {
  const { content, lineOf } = readAccountFile('# people\nusers:\n\n  - email: a@example.com\n    firstname: A\n    lastname: B\n', 'x.yaml')
  assert.deepEqual(content, { users: [{ email: 'a@example.com', firstname: 'A', lastname: 'B' }] })
  assert.deepEqual([lineOf(['users', 0]), lineOf(['users', 0, 'lastname']), lineOf(['users', 7]), lineOf([])], [4, 6, 2, 2])
  assert.deepEqual(readAccountFile('{"lines": []}', 'x.json').content, { lines: [] })
})

test('rejects hostile and broken files with their line', () => {
  const cases: [string, RegExp][] = [
    [`users: ${'['.repeat(100_000)}`, /x\.yaml:1: it is nested more than 40 deep/],
    [`${'- '.repeat(50_000)}a`, /nested more than 40 deep/],
    [Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), /x\.yaml:\d+: it is nested more than 40 deep/],
    ['a: &x [1]\nb: *x', /x\.yaml:1: anchors and aliases are not allowed/],
    ['users: *nobody', /x\.yaml:1: /],
    [`users: [${'1,'.repeat(6_000)}]`, /more than 5000 items/],
    [Array.from({ length: 6_000 }, (_, at) => `k${at}: 1`).join('\n'), /more than 5000 items/],
    [`users: [${`[${'1,'.repeat(4_000)}],`.repeat(70)}]`, /too many values/],
    ['a'.repeat(maxFileBytes + 1), /has more than 4 MB/],
    ['', /the file is empty|x\.yaml/],
    ['users: []\n---\nusers: []', /x\.yaml:\d: a second document begins/],
    ['users: []\nusers: []', /x\.yaml:2: Map keys must be unique/],
    ['users: [}', /x\.yaml:1: /],
    ['- 1', /x\.yaml:1: the file/],
    ['!!js/function x', /x\.yaml/],
    ['__proto__: { polluted: true }', /x\.yaml:1: __proto__ is not known/],
  ]
  for (const [text, message] of cases) assert.throws(() => readAccountFile(text, 'x.yaml'), { name: 'Mistake', message }, text.slice(0, 60))
})
