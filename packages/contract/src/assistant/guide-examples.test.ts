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

/** Every JSON value of the guide in order: a line that does not begin with a bracket continues the previous one. */
const examples: Example[] = [...guide.matchAll(/```json\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .replaceAll('{…}', session)
    .split(/\n(?=[{[])/)
    .flatMap((text): Example[] => [JSON.parse(text) as Example | Example[]].flat()),
)

/** Event fields over a WebSocket that webhooks carry in headers. */
const envelope = ['event_id', 'sequence', 'turn']
/** Frames of the connection itself. */
const frames = ['session_resume']

const unknownFields = (shape: TObject, example: object, besides: readonly string[] = []): string[] =>
  Object.keys(example).filter((name) => !(name in shape.properties) && !besides.includes(name))

test('every event or action example in the guide matches the contract, without unknown fields', () => {
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

test('every event has an example, and every field a value in some example', () => {
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

test('extended_events: true keeps its events of the last release; every event can be named or belongs to audio', () => {
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
