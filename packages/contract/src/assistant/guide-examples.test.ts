import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { Value } from 'typebox/value'
import { FlowWish } from '../v3/flow-values.ts'
import { actions } from './actions.ts'
import { assistantEvents, extendedEvents, mediaEvents, usualExtendedEvents } from './events.ts'

const root = join(import.meta.dirname, '../../../..')
const guide = readFileSync(join(root, 'docs/guides/assistants.md'), 'utf8')
const session = '{"id":"6f1f2c0e","account_id":"1234567","phone_number":"4921100000"}'

type Example = { type?: string } & Record<string, unknown>

/** Every JSON value of the guide, one after the other: a line that does not begin with a bracket goes on with the one before. */
const examples: Example[] = [...guide.matchAll(/```json\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .replaceAll('{…}', session)
    .split(/\n(?=[{[])/)
    .flatMap((text): Example[] => [JSON.parse(text) as Example | Example[]].flat()),
)

/** Over a WebSocket events have what stands in headers otherwise. */
const envelope = ['event_id', 'sequence', 'turn']
/** Frames of the connection itself. */
const frames = ['session_resume']

const unknownFields = (shape: TObject, example: object, besides: readonly string[] = []): string[] =>
  Object.keys(example).filter((name) => !(name in shape.properties) && !besides.includes(name))

test('every example of an event or action in the guide is one by the contract, without fields that it does not know', () => {
  for (const example of examples) {
    const { type } = example
    if (type === undefined || frames.includes(type)) continue
    const isEvent = Object.hasOwn(assistantEvents, type)
    const shape: TObject | undefined = { ...assistantEvents, ...actions }[type as keyof typeof assistantEvents & keyof typeof actions]
    assert.ok(shape, `${type} is neither an event nor an action`)
    assert.deepEqual([...Value.Errors(shape, example)], [], JSON.stringify(example))
    assert.deepEqual(unknownFields(shape, example, isEvent ? envelope : []), [], JSON.stringify(example))
  }
})

test('every event has an example, and every field of it a value in some example', () => {
  for (const [type, { properties }] of Object.entries(assistantEvents)) {
    const shown = new Set(examples.filter((example) => example.type === type).flatMap((example) => Object.keys(example)))
    assert.deepEqual(
      Object.keys(properties).filter((name) => !shown.has(name)),
      [],
      type,
    )
  }
})

test('settings in the guide are settings of a flow', () => {
  const settings = examples.filter(({ type }) => type === undefined)
  assert.ok(settings.length > 0)
  for (const example of settings) assert.ok(Value.Check(FlowWish, { name: 'Mine', ...example }), JSON.stringify(example))
})

test('what `extended_events: true` meant in the last release it still means, and every event can be named or belongs to sound', () => {
  const released = readFileSync(join(root, 'release/last/openapi.json'), 'utf8')
  const [, list = ''] = /"true: (?:all of )?([a-z_, ]+);/.exec(released) ?? []
  const names = list.split(', ')
  assert.ok(names.includes('dtmf_received'), names.join())
  for (const name of names) assert.ok((usualExtendedEvents as readonly string[]).includes(name), name)
  const others = Object.keys(assistantEvents).slice(4)
  const named: readonly string[] = [...extendedEvents, ...mediaEvents]
  assert.deepEqual(
    others.filter((name) => !named.includes(name)),
    [],
  )
})
