import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { actions } from '../assistant/actions.ts'
import { assistantEvents } from '../assistant/events.ts'
import { asyncapi } from './asyncapi.ts'
import { jsonSchemas } from './json-schemas.ts'

const root = join(import.meta.dirname, '../../../..')
const schemas = jsonSchemas()
const session = { id: '6f1f2c0e', account_id: '1234567', phone_number: '4921100000' }

/** An independent validator. */
const validator = (name: string) => {
  const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schemas[name] ?? false)
  return (value: unknown): string[] =>
    check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
}
const inEvents = validator('events.schema.json')
const inActions = validator('actions.schema.json')
const inScenario = validator('scenario.schema.json')

/** Every JSON value of the guide in order: a line that does not begin with a bracket continues the previous one. */
const examples = [...readFileSync(join(root, 'docs/guides/assistants.md'), 'utf8').matchAll(/```json\n(.*?)```/gs)].flatMap(
  ([, block = '']) =>
    block
      .replaceAll('{…}', JSON.stringify(session))
      .split(/\n(?=[{[])/)
      .map((text) => JSON.parse(text) as { type?: string } | { type?: string }[]),
)

test('every event and action of the guide matches the JSON Schemas', () => {
  const seen = new Set<string>()
  for (const example of examples) {
    const [{ type = '' } = {}] = [example].flat()
    if (type === '') continue // settings of a flow
    seen.add(type)
    const isEvent = Object.hasOwn(assistantEvents, type) || type === 'session_resume'
    assert.deepEqual((isEvent ? inEvents : inActions)(example), [], JSON.stringify(example))
  }
  for (const type of [...Object.keys(assistantEvents), ...Object.keys(actions)]) assert.ok(seen.has(type), `the guide shows no ${type}`)
})

test('rejects invalid events, actions and scenarios', () => {
  assert.notDeepEqual(inEvents({ type: 'user_speak', session, barged_in: false }), [])
  assert.notDeepEqual(inEvents({ type: 'user_speaks', session }), [])
  assert.notDeepEqual(inActions({ type: 'transfer' }), [])
  assert.notDeepEqual(inActions([{ type: 'hangup' }, { type: 'hang_up' }]), [])
  assert.notDeepEqual(inScenario({ name: 'x', steps: [{ says: 'hello' }] }), [])
  assert.notDeepEqual(inScenario({ name: 'x', steps: [{ press: 'one' }] }), [])
  assert.notDeepEqual(inScenario({ name: 'x', steps: [] }), [])
})

test('the example scenarios match the schema for editors', () => {
  const steps = [
    { say: 'Stop', into_ms: 900 },
    { press: '1#' },
    { expect: { said: ['a', '/b+/'], action: 'hangup', within_ms: 600 } },
    { hang_up: true },
  ]
  assert.deepEqual(inScenario({ name: 'x', from: '4930', steps }), [])
  for (const file of globSync('examples/**/*.scenario.{yaml,json}', { cwd: root }))
    assert.deepEqual(inScenario(parse(readFileSync(join(root, file), 'utf8'))), [], file)
})

test('the AsyncAPI document has every event and action, and valid references', () => {
  const document = asyncapi('1.2.3')
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  for (const path of new Set(references)) {
    const found = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document)
    assert.ok(found, path)
  }
  for (const type of Object.keys(assistantEvents)) assert.ok(references.includes(`components/messages/${type}`), type)
  for (const type of Object.keys(actions)) assert.ok(references.includes(`components/schemas/action_${type}`), type)
})
