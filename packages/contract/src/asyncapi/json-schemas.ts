import type { TObject } from 'typebox'
import { AccountFile } from '../account-file.ts'
import { actions } from '../assistant/actions.ts'
import { assistantEvents } from '../assistant/events.ts'
import { Scenario } from '../assistant/scenario.ts'
import { Session } from '../assistant/session.ts'

export type Json = Record<string, unknown>
/** Reference to the named shape in the document. */
export type Refer = (name: string) => Json

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const inDefs: Refer = (name) => ({ $ref: `#/$defs/${name}` })

/** Fields that a webhook carries in headers. */
const frameFields = {
  event_id: { type: 'string', description: 'Over a WebSocket. The same when it is told again' },
  sequence: { type: 'integer', description: 'Over a WebSocket. Place in the call, counted from 1' },
  turn: { type: 'integer', description: 'Over a WebSocket. 0 is session_start, each user_speak adds one' },
}

/** The first frame of a reopened connection. */
const resume = (refer: Refer): Json => ({
  type: 'object',
  required: ['type', 'session', 'last_sequence'],
  properties: {
    type: { type: 'string', const: 'session_resume' },
    session: refer('session'),
    last_sequence: { type: 'integer', description: 'Of the last event that is known to have arrived; later ones come again' },
  },
})

/** By name: the session, every event, and the resume frame. */
export const eventShapes = (refer: Refer): Record<string, Json> => ({
  session: plain(Session),
  ...Object.fromEntries(
    Object.entries<TObject>(assistantEvents).map(([type, shape]) => {
      const { properties, ...rest } = plain(shape) as { properties: Json }
      return [type, { ...rest, properties: { ...frameFields, ...properties, session: refer('session') } }]
    }),
  ),
  session_resume: resume(refer),
})

/** By name. An action without a session applies to the answered one. */
export const actionShapes = (): Record<string, Json> =>
  Object.fromEntries(
    Object.entries<TObject>(actions).map(([type, shape]) => {
      const { required, ...rest } = plain(shape) as { required: string[] }
      return [type, { ...rest, required: required.filter((name) => name !== 'session_id') }]
    }),
  )

/** Maximum per reply; more are ignored. */
export const mostActions = 16

/** JSON Schemas for programs in any language and for editors, by file name. */
export const jsonSchemas = (): Record<string, Json> => {
  const { session, ...events } = eventShapes(inDefs)
  const oneAction = { anyOf: Object.keys(actions).map(inDefs) }
  return {
    'events.schema.json': {
      $schema: dialect,
      title: 'An event of a call',
      description: 'As a webhook gets it in its body, and a WebSocket as a text frame. More fields and events may come.',
      anyOf: Object.keys(events).map(inDefs),
      $defs: { session, ...events },
    },
    'actions.schema.json': {
      $schema: dialect,
      title: 'What an endpoint answers',
      description: 'An action, or several, which are done in this order: the reply of a webhook, or a text frame of a WebSocket.',
      anyOf: [...oneAction.anyOf, { type: 'array', items: oneAction, maxItems: mostActions }],
      $defs: actionShapes(),
    },
    'account.schema.json': {
      $schema: dialect,
      title: 'An account',
      description: 'Users, lines, groups, numbers, office hours, flows, assistants and routes: a file for offhook apply.',
      ...plain(AccountFile),
    },
    'scenario.schema.json': {
      $schema: dialect,
      title: 'A scenario',
      description: 'A conversation and what has to come of it: a file *.scenario.yaml or *.scenario.json for offhook test.',
      ...plain(Scenario),
    },
  }
}

/** Removes TypeBox's symbols. */
const plain = (shape: object): Json => JSON.parse(JSON.stringify(shape)) as Json
