import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '@offhook/contract/problem.ts'
import {
  changeDirectoryGroup,
  changeDirectoryUser,
  directoryUsers,
  findDirectoryGroup,
  findDirectoryUser,
  provisionGroup,
  provisionUser,
  removeDirectoryGroup,
  removeDirectoryUser,
} from '#core/account/accounts/directory.ts'
import { noPassword } from '#core/account/accounts/sign-in.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { IdentityProvider } from '#core/kernel/ports/store/single-sign-on.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { signOnPaths } from '../handler/sign-on-paths.ts'
import { filterOf, pageOf, readGroup, readGroupPatch, readUser, readUserPatch, ScimProblem } from './scim-input.ts'
import { resourceTypes, scimSchemas, serviceProviderConfig, toScimGroup, toScimUser } from './scim-output.ts'

/** Bytes: a group of a thousand members. */
const bodyLimit = 256 * 1024
const scimType = 'application/scim+json'

type ScimDeps = Pick<HandlerDeps, 'store' | 'clock' | 'cleanups' | 'passwords' | 'authenticator' | 'installation' | 'wake' | 'log'>

interface Asked {
  provider: IdentityProvider
  id: string
  query: Record<string, string | undefined>
  body: unknown
}

interface Answer {
  status?: number
  body?: { meta?: { location: string } } | object
}

/** SCIM 2.0 (RFC 7643, RFC 7644): a company's identity provider creates, changes and deactivates users and groups. */
export const mountScim = (app: FastifyInstance, deps: ScimDeps): void => {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    for (const type of [scimType, 'application/json'])
      scope.addContentTypeParser(type, { parseAs: 'string', bodyLimit }, (_request, text, next) => next(null, text))
    answerErrors(scope, deps)
    const { scim } = signOnPaths('', '')
    const route = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, answer: (asked: Asked) => Promise<Answer>): void => {
      scope.route({
        method,
        url: `${scim}/${path}`,
        bodyLimit,
        handler: async (request, reply) => send(reply, await answer(await read(deps, request))),
      })
    }
    mountUsers(route, deps)
    mountGroups(route, deps)
    const base = (): string => signOnPaths(deps.installation.publicUrl(), '').scim
    route('GET', 'ServiceProviderConfig', () => Promise.resolve({ body: serviceProviderConfig(base()) }))
    route('GET', 'ResourceTypes', () => Promise.resolve({ body: listOf(resourceTypes(base()), {}) }))
    done()
  })
}

type Route = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, answer: (asked: Asked) => Promise<Answer>) => void

const mountUsers = (route: Route, deps: ScimDeps): void => {
  const { store, passwords, authenticator, wake } = deps
  const { read } = store
  const render = async ({ accountId, id }: IdentityProvider) =>
    toScimUser(signOnPaths(deps.installation.publicUrl(), '').scim, await read.providerDirectory.groups(accountId, id))
  const changed = <T>(result: T): T => {
    authenticator.forget()
    wake()
    return result
  }
  route('GET', 'Users', async ({ provider, query }) => {
    const users = (await directoryUsers(read, provider)).filter(matching(query.filter, userKeys))
    return { body: listOf(users.map(await render(provider)), query) }
  })
  route('GET', 'Users/:id', async ({ provider, id }) => ({ body: (await render(provider))(await findDirectoryUser(read, provider, id)) }))
  route('POST', 'Users', async ({ provider, body }) => {
    const input = readUser(body)
    const passwordHash = await noPassword(passwords)
    const user = changed(await store.write((tables) => provisionUser(tables, { ...deps, passwordHash }, provider, input)))
    return { status: 201, body: (await render(provider))(user) }
  })
  for (const [method, reader] of [['PUT', readUser] as const, ['PATCH', readUserPatch] as const])
    route(method, 'Users/:id', async ({ provider, id, body }) => {
      const change = reader(body)
      const user = changed(await store.write((tables) => changeDirectoryUser(tables, deps, provider, id, change)))
      return { body: (await render(provider))(user) }
    })
  route('DELETE', 'Users/:id', async ({ provider, id }) => {
    changed(await store.write((tables) => removeDirectoryUser(tables, deps, provider, id)))
    return { status: 204 }
  })
}

const mountGroups = (route: Route, deps: ScimDeps): void => {
  const { store, clock, authenticator } = deps
  const { read } = store
  const render = (group: Parameters<ReturnType<typeof toScimGroup>>[0]) =>
    toScimGroup(signOnPaths(deps.installation.publicUrl(), '').scim)(group)
  const changed = <T>(result: T): T => {
    authenticator.forget() // roles follow groups
    return result
  }
  route('GET', 'Groups', async ({ provider: { accountId, id }, query }) => {
    const groups = (await read.providerDirectory.groups(accountId, id)).filter(matching(query.filter, groupKeys)).map(render)
    const isShort = query.excludedAttributes?.split(',').includes('members') === true
    return { body: listOf(isShort ? groups.map((group) => ({ ...group, members: undefined })) : groups, query) }
  })
  route('GET', 'Groups/:id', async ({ provider, id }) => ({ body: render(await findDirectoryGroup(read, provider, id)) }))
  route('POST', 'Groups', async ({ provider, body }) => {
    const input = readGroup(body)
    return { status: 201, body: render(changed(await store.write((tables) => provisionGroup(tables, clock, provider, input)))) }
  })
  const replacing = (body: unknown) => {
    const group = readGroup(body)
    return () => group
  }
  for (const [method, reader] of [['PUT', replacing] as const, ['PATCH', readGroupPatch] as const])
    route(method, 'Groups/:id', async ({ provider, id, body }) => {
      const change = reader(body)
      return { body: render(changed(await store.write((tables) => changeDirectoryGroup(tables, clock, provider, id, change)))) }
    })
  route('DELETE', 'Groups/:id', async ({ provider, id }) => {
    changed(await store.write((tables) => removeDirectoryGroup(tables, clock, provider, id)))
    return { status: 204 }
  })
}

const userKeys: Record<string, (user: { id: string; email: string; externalId: string | undefined }) => string | undefined> = {
  username: ({ email }) => email,
  'emails.value': ({ email }) => email,
  'emails[type eq "work"].value': ({ email }) => email,
  externalid: ({ externalId }) => externalId,
  id: ({ id }) => id,
}

const groupKeys: Record<string, (group: { id: string; name: string; externalId: string | undefined }) => string | undefined> = {
  displayname: ({ name }) => name,
  externalid: ({ externalId }) => externalId,
  id: ({ id }) => id,
}

/** Addresses are case-insensitive, other values are not. */
const matching = <T>(filter: string | undefined, keys: Record<string, (one: T) => string | undefined>): ((one: T) => boolean) => {
  if (filter === undefined || filter === '') return () => true
  const { attribute, value } = filterOf(filter)
  const key = keys[attribute]
  if (!key) throw new ScimProblem('invalidFilter', `There is no filter by ${attribute}.`)
  const wanted = attribute.startsWith('emails') || attribute === 'username' ? value.toLowerCase() : value
  return (one) => key(one) === wanted
}

const listOf = (all: readonly object[], query: Record<string, string | undefined>): object => {
  const { start, count } = pageOf(query)
  const page = all.slice(start - 1, start - 1 + count)
  return { schemas: [scimSchemas.list], totalResults: all.length, startIndex: start, itemsPerPage: page.length, Resources: page }
}

/** The provider of the bearer token. */
const read = async ({ store }: ScimDeps, { headers, params, query, body }: FastifyRequest): Promise<Asked> => {
  const [, token] = /^Bearer (scim-[\w-]{43})$/i.exec(headers.authorization ?? '') ?? []
  const provider = token === undefined ? undefined : await store.read.providerDirectory.findProvider(hashSecret(token))
  if (!provider) throw new Problem('invalid_token')
  const { id = '' } = params as { id?: string }
  return { provider, id, query: query as Record<string, string | undefined>, body: parsed(body) }
}

const parsed = (body: unknown): unknown => {
  try {
    return typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined
  } catch {
    throw new ScimProblem('invalidSyntax', 'The body is not valid JSON.')
  }
}

const send = (reply: FastifyReply, { status = 200, body }: Answer): FastifyReply => {
  if (status === 201 && body && 'meta' in body && body.meta) void reply.header('location', body.meta.location)
  return body === undefined ? reply.code(status).send() : reply.code(status).type(scimType).send(JSON.stringify(body))
}

/** Errors of RFC 7644 §3.12. */
const answerErrors = (scope: FastifyInstance, { log }: ScimDeps): void => {
  scope.setErrorHandler((error, _request, reply) => {
    if (error instanceof ScimProblem) return sendError(reply, 400, error.message, error.scimType)
    if (error instanceof Problem) {
      if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
      const taken = error.code === 'email_taken' || error.code === 'already_exists'
      const type = taken ? 'uniqueness' : error.code === 'parameter_invalid' ? 'invalidValue' : undefined
      return sendError(reply, taken ? 409 : error.status, error.message, type)
    }
    const { statusCode = 500, message } = error as { statusCode?: number; message: string }
    if (statusCode >= 500) log('operation_failed', { err: error })
    return sendError(reply, statusCode, statusCode >= 500 ? 'Something went wrong in the service.' : message)
  })
}

const sendError = (reply: FastifyReply, status: number, detail: string, type?: string): FastifyReply =>
  reply
    .code(status)
    .type(scimType)
    .send(JSON.stringify({ schemas: [scimSchemas.error], status: String(status), ...(type !== undefined && { scimType: type }), detail }))
