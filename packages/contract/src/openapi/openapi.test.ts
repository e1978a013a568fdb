import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { exampleOf } from './openapi-examples.ts'
import { openapi } from './openapi.ts'
import { takesIdempotencyKey, type Operation } from '../operation.ts'
import { operations } from '../api/operations.ts'

interface Described {
  operationId: string
  security: Record<string, string[]>[]
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema: { $ref?: string } }> }>
  requestBody?: { content: Record<string, { schema: unknown }> }
}

const document = openapi() as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, object>; responses: Record<string, object>; securitySchemes: Record<string, object> }
}

const described = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((one) => [one.operationId, one]),
)

const of = ({ id }: Operation): Described => {
  const found = described.get(id)
  assert.ok(found, id)
  return found
}

const all = Object.values<Operation>(operations)

test('an operation that needs a token says so, even if the specification does not mark it', () => {
  for (const operation of all) {
    const { security } = of(operation)
    for (const scheme of security.flatMap((one) => Object.keys(one))) assert.ok(scheme in document.components.securitySchemes, scheme)
    assert.equal(security.length > 0, operation.auth !== 'public', operation.id)
  }
  for (const id of ['getUserInfo', 'deleteSessionToken', 'listAppEvents', 'listRestrictions'])
    assert.deepEqual(described.get(id)?.security[0], { bearer: [] }, id)
})

test("every status has a text: for the operation's errors and the common ones", () => {
  for (const operation of all) {
    const statuses = Object.keys(of(operation).responses)
    const expected = ['400', '429', '500', ...(operation.protocol === 'oauth' ? [] : ['503'])]
    if (operation.auth !== 'public') expected.push('401')
    if (operation.auth === 'user') expected.push('403')
    if (operation.body) expected.push('413', '415')
    if (takesIdempotencyKey(operation)) expected.push('409', '422')
    if (operation.file) expected.push('206', '416')
    assert.deepEqual(
      expected.filter((status) => !statuses.includes(status)),
      [],
      operation.id,
    )
  }
})

/** Paths of unnamed objects with fields. */
const unnamed = (value: unknown, path: string): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const here = 'properties' in value && 'type' in value && value.type === 'object' ? [path] : []
  return [...here, ...Object.entries(value).flatMap(([key, inner]) => (key === 'example' ? [] : unnamed(inner, `${path}/${key}`)))]
}

test('every object has a name, each reference resolves, and no shape is unused', () => {
  assert.deepEqual(unnamed(document.paths, ''), [])
  for (const [name, schema] of Object.entries(document.components.schemas).filter(([own]) => own !== 'Error')) {
    assert.match(name, /^[A-Z][A-Za-z0-9]*$/)
    assert.deepEqual(
      Object.entries(schema).flatMap(([key, inner]) => (key === 'properties' ? unnamed(Object.values(inner), name) : [])),
      [],
    )
  }
  const referred = new Set([...JSON.stringify(document).matchAll(/"#\/components\/(?:schemas|responses)\/(\w+)"/g)].map(([, name]) => name))
  assert.deepEqual(referred, new Set(Object.keys({ ...document.components.schemas, ...document.components.responses })))
  const reply = of(operations.getNumber).responses['200']?.content?.['application/json']
  assert.equal(reply?.schema.$ref, '#/components/schemas/PhoneNumber')
  const list = of(operations.listNumbers).responses['200']?.content?.['application/json']
  assert.equal(list?.schema.$ref, '#/components/schemas/PhoneNumberList')
  assert.ok(unnamed({ type: 'object', properties: {} }, 'x').length === 1, 'and one without a name would be found')
})

test('every example is valid for its shape', () => {
  for (const { id, body, reply } of all)
    for (const schema of [body, reply])
      if (schema) {
        const example = exampleOf(schema as Record<string, unknown>)
        assert.deepEqual([...Value.Errors(schema, example)], [], `${id}: ${JSON.stringify(example)}`)
      }
})

test('is deterministic', () => assert.equal(JSON.stringify(openapi()), JSON.stringify(openapi())))
