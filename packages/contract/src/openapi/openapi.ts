import type { TSchema } from 'typebox'
import { errors } from '../errors.ts'
import { exampleOf } from './openapi-examples.ts'
import { failures, sharedResponses } from './openapi-failures.ts'
import { NamedSchemas, pascal } from './openapi-schemas.ts'
import { pathNames, takesIdempotencyKey, type Operation } from '../operation.ts'
import { operations } from '../api/operations.ts'
import { scopes } from '../scopes.ts'
import { PasskeyQuestion } from '../passkeys.ts'
import { secondFactorMethods } from '../second-factor.ts'

/** Section of an operation in the reference: the first literal path segment after the version, as with its file. */
export const tagOf = ({ path }: Pick<Operation, 'path'>): string => {
  const [first = '', ...rest] = path.split('/').slice(1)
  const [version, ...behind] = first === 'operator' || first === 'carrier' ? [`${first}/${rest[0]}`, ...rest.slice(1)] : [first, ...rest]
  const area = behind.find((segment) => segment !== '' && !segment.startsWith('{'))
  return /v\d$/.test(version) ? `${version}/${area ?? 'index'}` : 'login'
}

/** In the order in which a new developer needs them. */
const groups: [name: string, begins: string][] = [
  ['Assistants', 'v3/'],
  ['Calls and history', 'v2/'],
  ['Account', 'v1/'],
  ['Log in', 'login'],
  ['Operator', 'operator/'],
  ['Other carriers', 'carrier/'],
]

export const tagsOf = (operations: readonly Operation[]) => {
  const names = [...new Set(operations.map(tagOf))]
  return {
    tags: names.map((name) => ({ name, 'x-displayName': name.split('/').at(-1) })),
    'x-tagGroups': groups.map(([name, begins]) => ({ name, tags: names.filter((tag) => tag.startsWith(begins)) })),
  }
}

type Json = Record<string, unknown>

/** A constant, because the contract also runs in browsers, which cannot read the manifest. */
export const interfaceVersion = '0.2.0-dev'

/** The whole interface as OpenAPI 3.1. Shapes are already JSON Schema, so nothing is translated; each gets a name. */
export const openapi = (): Json => {
  const shapes = new NamedSchemas()
  const described = paths(shapes) // first, because it collects all shapes
  return { ...head(), paths: described, components: components(shapes) }
}

const head = (): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Offhook',
    version: interfaceVersion,
    description:
      'Account and telephony management (/v1), live call control (/v2), assistant flows (/v3), operator interface (/operator/v1).\n\n' +
      'Log in with a bearer token, a personal access token or OAuth. How things are done stands in the [guides](/docs/guides/).',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  ...tagsOf(Object.values<Operation>(operations)),
})

const components = (shapes: NamedSchemas): Json => ({
  schemas: { Error: errorSchema, OauthError: oauthErrorSchema, ...shapes.all() },
  responses: sharedResponses,
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    personal: { type: 'http', scheme: 'basic', description: 'A personal access token: its id as user name, its secret as password.' },
    oauth: { type: 'oauth2', flows: { authorizationCode: oauthFlow() } },
    operator: { type: 'http', scheme: 'bearer', description: 'A token of the operator.' },
    carrier: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Carrier-Code',
      description: 'With a signature over the body, see the guide Moving numbers.',
    },
  },
})

const oauthErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', description: 'As RFC 6749 §5.2 calls it.' }, error_description: { type: 'string' } },
}

const errorSchema = {
  type: 'object',
  required: ['name', 'message', 'code'],
  properties: {
    name: { type: 'string', description: 'The kind of error.' },
    message: { type: 'string', description: 'What is wrong, for people.' },
    code: { type: 'string', enum: Object.keys(errors), description: 'What is wrong, for programs; see docs/errors.md.' },
    details: {
      type: 'array',
      items: { type: 'object', required: ['field', 'problem'], properties: { field: { type: 'string' }, problem: { type: 'string' } } },
    },
    challenge: { type: 'string', description: 'Of second_factor_required: belongs into the same request, sent again.' },
    methods: {
      type: 'array',
      items: { type: 'string', enum: secondFactorMethods },
      description: 'Of second_factor_required: what can be shown.',
    },
    passkey: { ...PasskeyQuestion, description: 'Of second_factor_required: what a browser’s passkeys are asked.' },
  },
}

const oauthFlow = (): Json => ({
  authorizationUrl: '/v1/authorization/oauth/authorize',
  tokenUrl: '/v1/authorization/oauth/token',
  scopes: Object.fromEntries(scopes.filter((scope) => scope !== 'internal').map((scope) => [scope, ''])),
})

/**
 * OpenAPI treats two templates that differ only in parameter names as the same path, and the specification has such a pair. They are merged
 * under the first one's name; clients see only the position.
 */
const paths = (shapes: NamedSchemas): Json => {
  const byShape = new Map<string, { template: string; methods: Json }>()
  for (const operation of Object.values<Operation>(operations)) {
    const shape = operation.path.replaceAll(/\{\w+\}/g, '{}')
    const known = byShape.get(shape) ?? { template: operation.path, methods: {} }
    known.methods[operation.method.toLowerCase()] = describe(operation, pathNames(known.template), shapes)
    byShape.set(shape, known)
  }
  return Object.fromEntries([...byShape.values()].map(({ template, methods }) => [template, methods]))
}

const describe = (operation: Operation, names: string[], shapes: NamedSchemas): Json => ({
  operationId: operation.id,
  summary: operation.summary,
  ...(operation.description !== undefined && { description: operation.description }),
  ...(operation.deprecated && { deprecated: true }),
  tags: [tagOf(operation)],
  parameters: [...names.map(pathParameter), ...queryParameters(operation), ...headers(operation)],
  ...(operation.body && {
    requestBody: {
      required: true,
      content: { [contentType(operation)]: content(shapes, operation.body, `${pascal(operation.id)}Body`) },
    },
  }),
  responses: { ...successes(operation, shapes), ...failures(operation) },
  security: security(operation),
})

const pathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } })

const queryParameters = ({ query }: Operation): Json[] => {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

const headers = (operation: Operation): Json[] => [
  ...(takesIdempotencyKey(operation) ? [idempotencyKey] : []),
  ...(operation.conditional ? [ifMatch] : []),
]

const ifMatch: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'The ETag of what was read: when it has changed since, nothing is done.',
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'Saying the same again with the same key has no second effect. Kept for 24 hours.',
}

const contentType = ({ form }: Operation): string => (form ? 'application/x-www-form-urlencoded' : 'application/json')

const content = (shapes: NamedSchemas, schema: TSchema, name: string): Json => ({
  schema: shapes.referWhole(schema, name),
  example: exampleOf(schema as Json),
})

const successes = (operation: Operation, shapes: NamedSchemas): Json => {
  const { id, status, file } = operation
  const whole = success(operation, shapes, pascal(id))
  return file ? { [status]: whole, 206: { ...whole, description: 'The part that a Range header asked for' } } : { [status]: whole }
}

const success = (
  { reply, replyType, events, file, text, textTypes = ['text/plain'], location, summary }: Operation,
  shapes: NamedSchemas,
  name: string,
): Json => ({
  description: summary,
  ...(location !== undefined && { headers: { Location: { description: location, schema: { type: 'string' } } } }),
  ...(reply && { content: { [replyType ?? 'application/json']: content(shapes, reply, `${name}Reply`) } }),
  ...(events && { content: { 'text/event-stream': { schema: shapes.refer(events, `${name}Event`) } } }),
  ...(file && { content: { [file]: { schema: { type: 'string', format: 'binary' } } } }),
  ...(text && { content: Object.fromEntries(textTypes.map((type) => [type, plainText])) }),
})

const plainText = { schema: { type: 'string' } }

/** Any one of the schemes is sufficient, and with OAuth any one of the scopes. */
const security = ({ auth, signedAddress, scopes: accepted = [] }: Operation): Json[] => {
  if (auth === 'operator' || auth === 'carrier') return [{ [auth]: [] }]
  if (auth === 'public') return []
  const enough = ['all', ...accepted.filter((scope) => scope !== 'internal')]
  const schemes = [{ bearer: [] }, { personal: [] }, ...enough.map((scope) => ({ oauth: [scope] }))]
  return signedAddress ? [...schemes, {}] : schemes
}
