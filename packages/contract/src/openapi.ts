import type { TSchema } from 'typebox'
import { errors, type ErrorCode } from './errors.ts'
import { pathNames, type Operation } from './operation.ts'
import { tagOf, tagsOf } from './openapi-tags.ts'
import { operations } from './operations.ts'
import { scopes } from './scopes.ts'
import { secondFactorMethods } from './second-factor.ts'

type Json = Record<string, unknown>

/** The whole interface as OpenAPI 3.1. Shapes are JSON Schema already, so nothing is translated. */
export const openapi = (): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Offhook',
    version: '0.1.0',
    description:
      'Account and telephony management (/v1), live call control (/v2), assistant flows (/v3), operator interface (/operator/v1).\n\n' +
      'Log in with a bearer token, a personal access token or OAuth. How things are done stands in the [guides](/docs/guides/).',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  ...tagsOf(Object.values<Operation>(operations)),
  paths: paths(),
  components: {
    schemas: { Error: errorSchema },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      personal: { type: 'http', scheme: 'basic', description: 'A personal access token: its id as user name, its secret as password.' },
      oauth: { type: 'oauth2', flows: { authorizationCode: oauthFlow() } },
      operator: { type: 'http', scheme: 'bearer', description: 'A token of the operator.' },
    },
  },
})

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
  },
}

const oauthFlow = (): Json => ({
  authorizationUrl: '/v1/authorization/oauth/authorize',
  tokenUrl: '/v1/authorization/oauth/token',
  scopes: Object.fromEntries(scopes.filter((scope) => scope !== 'internal').map((scope) => [scope, ''])),
})

/**
 * OpenAPI takes two templates that differ only in the names of their parameters for the same path, and the specification has such a pair.
 * They are put under the first one's name; the position is what clients see.
 */
const paths = (): Json => {
  const byShape = new Map<string, { template: string; methods: Json }>()
  for (const operation of Object.values<Operation>(operations)) {
    const shape = operation.path.replaceAll(/\{\w+\}/g, '{}')
    const known = byShape.get(shape) ?? { template: operation.path, methods: {} }
    known.methods[operation.method.toLowerCase()] = describe(operation, pathNames(known.template))
    byShape.set(shape, known)
  }
  return Object.fromEntries([...byShape.values()].map(({ template, methods }) => [template, methods]))
}

const describe = (operation: Operation, names: string[]): Json => ({
  operationId: operation.id,
  summary: operation.summary,
  ...(operation.description !== undefined && { description: operation.description }),
  tags: [tagOf(operation)],
  parameters: [...names.map(pathParameter), ...queryParameters(operation), ...(operation.idempotent ? [idempotencyKey] : [])],
  ...(operation.body && { requestBody: { required: true, content: { [contentType(operation)]: { schema: operation.body } } } }),
  responses: { [operation.status]: success(operation), ...failures(operation) },
  security: security(operation),
})

const pathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } })

const queryParameters = ({ query }: Operation): Json[] => {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'Saying the same again with the same key has no second effect. Kept for 24 hours.',
}

const contentType = ({ form }: Operation): string => (form ? 'application/x-www-form-urlencoded' : 'application/json')

const success = ({ reply, events, file, location, summary }: Operation): Json => ({
  description: summary,
  ...(location !== undefined && { headers: { Location: { description: location, schema: { type: 'string' } } } }),
  ...(reply && { content: { 'application/json': { schema: reply } } }),
  ...(events && { content: { 'text/event-stream': { schema: events } } }),
  ...(file && { content: { [file]: { schema: { type: 'string', format: 'binary' } } } }),
})

const failures = (operation: Operation): Json => {
  const codes: ErrorCode[] = [...(operation.errors ?? [])]
  if (operation.body || operation.query) codes.push('parameter_invalid')
  if (operation.auth === 'user') codes.push('not_authenticated', 'scope_missing')
  if (operation.auth === 'operator') codes.push('not_authenticated')
  const statuses = [...new Set(codes.map((code) => errors[code].status))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const here = [...new Set(codes.filter((code) => errors[code].status === status))]
      return [status, { description: here.join(', '), content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }]
    }),
  )
}

/** Any one of the schemes is enough, and with OAuth any one of the scopes. */
const security = ({ auth, bearer, signedAddress, scopes: accepted = [] }: Operation): Json[] => {
  if (auth === 'operator') return [{ operator: [] }]
  if (!bearer) return []
  const enough = ['all', ...accepted.filter((scope) => scope !== 'internal')]
  const schemes = [{ bearer: [] }, { personal: [] }, ...enough.map((scope) => ({ oauth: [scope] }))]
  return signedAddress ? [...schemes, {}] : schemes
}
