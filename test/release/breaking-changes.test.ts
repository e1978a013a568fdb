import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { breakingChanges } from '../../release/openapi/breaking-changes.ts'
import type { Document } from '../../release/openapi/document.ts'
import { unsent } from '../../release/openapi/told-in-changelog.ts'

const root = join(import.meta.dirname, '../..')
const documentIn = (path: string): Document => JSON.parse(readFileSync(join(root, path), 'utf8')) as Document

test('documents every change that breaks a client of the last release in the changelog', () => {
  const changes = breakingChanges(documentIn('release/last/openapi.json'), documentIn('docs/api/openapi.json'))
  assert.deepEqual(unsent(changes, readFileSync(join(root, 'CHANGELOG.md'), 'utf8')), [])
})

/** One operation with one object as request and response. */
const before = (): Document => ({
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'changeThing',
        security: [{ bearer: ['things:write'] }],
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                additionalProperties: false,
                required: ['name'],
                properties: { name: { type: 'string', maxLength: 10 }, colour: { enum: ['red', 'green'] } },
              },
            },
          },
        },
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } }, 404: {} },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, of: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] } },
      },
    },
  },
})

/** Value at a path below an object. */
const at = (from: object, ...path: string[]): object =>
  path.reduce((target, key) => (target as Record<string, object>)[key] ?? assert.fail(`no ${key}`), from)
const operation = (document: Document, ...path: string[]): object => at(document, 'paths', '/things/{id}', 'post', ...path)
const body = (document: Document, ...path: string[]): object =>
  operation(document, 'requestBody', 'content', 'application/json', 'schema', ...path)
const thing = (document: Document, ...path: string[]): object => at(document, 'components', 'schemas', 'Thing', ...path)
const set = (target: object, values: object): void => void Object.assign(target, values)
const remove = (target: object, name: string): void => void Reflect.deleteProperty(target, name)

const breaking: [string, (after: Document) => void, string][] = [
  ['an operation that is gone', (after) => remove(after.paths, '/things/{id}'), 'is gone'],
  ['another name', (after) => set(operation(after), { operationId: 'editThing' }), 'is called editThing now'],
  ['a field taken away from the reply', (after) => remove(thing(after, 'properties'), 'id'), 'reply 200.id is gone'],
  ['a field that may be missing', (after) => set(thing(after), { required: [] }), 'reply 200.id may be missing now'],
  ['a field of another type', (after) => set(thing(after, 'properties', 'id'), { type: 'number' }), 'reply 200.id may be number now'],
  ['a field no longer taken', (after) => remove(body(after, 'properties'), 'colour'), 'body.colour is gone'],
  ['a field that must be sent', (after) => set(body(after), { required: ['name', 'colour'] }), 'body.colour is required now'],
  [
    'a value no longer taken',
    (after) => set(body(after, 'properties', 'colour'), { enum: ['red'] }),
    'body.colour no longer knows "green"',
  ],
  ['a narrower limit', (after) => set(body(after, 'properties', 'name'), { maxLength: 5 }), 'body.name: maxLength is narrower'],
  ['a reply that is gone', (after) => set(operation(after), { responses: { 201: {} } }), 'no longer answers 200'],
  ['a parameter that is gone', (after) => set(operation(after), { parameters: [] }), 'query parameter page is gone'],
  [
    'a parameter that must be sent',
    (after) => set(operation(after), { parameters: [{ name: 'page', in: 'query', required: true, schema: { type: 'integer' } }] }),
    'query parameter page is required now',
  ],
  [
    'a further scope',
    (after) => set(operation(after), { security: [{ bearer: ['things:write', 'things:admin'] }] }),
    'needs other permissions now',
  ],
]

for (const [name, change, what] of breaking) {
  test(`breaks: ${name}`, () => {
    const after = before()
    change(after)
    const changes = breakingChanges(before(), after)
    assert.deepEqual(
      changes.map((one) => one.what),
      [what],
    )
    assert.equal(unsent(changes, '## Unreleased\n\n- `changeThing` is better\n').length, 1)
    assert.equal(unsent(changes, '## Unreleased\n\n### Breaking\n\n- `POST /things/{id}` differs\n\n## 0.1.0\n').length, 0)
    assert.equal(unsent(changes, '## Unreleased\n\n## 0.1.0\n\n### Breaking\n\n- `changeThing` differs\n').length, 1)
  })
}

const harmless: [string, (after: Document) => void][] = [
  ['nothing', () => undefined],
  ['a further operation', (after) => set(after.paths, { '/others': { get: { operationId: 'others' } } })],
  ['a further field of the reply', (after) => set(thing(after, 'properties'), { size: { type: 'number' } })],
  ['a field that may be sent', (after) => set(body(after, 'properties'), { size: { type: 'number' } })],
  ['a field that need not be sent any more', (after) => set(body(after), { required: [] })],
  ['a further value', (after) => set(body(after, 'properties', 'colour'), { enum: ['red', 'green', 'blue'] })],
  ['a wider limit', (after) => set(body(after, 'properties', 'name'), { maxLength: 50 })],
  ['fewer scopes', (after) => set(operation(after), { security: [{ bearer: [] }] })],
  ['another description', (after) => set(operation(after), { description: 'better' })],
]

for (const [name, change] of harmless) {
  test(`breaks nothing: ${name}`, () => {
    const after = before()
    change(after)
    assert.deepEqual(breakingChanges(before(), after), [])
  })
}
