import type { ErrorCode } from '@offhook/contract/errors.ts'
import type { Operation } from '@offhook/contract/operation.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import { confirmedHeader } from '@offhook/contract/tools.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { CarrierCaller, HeldBy, KnownCaller, UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand, requireInScope } from '#core/account/identity/caller/permissions.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { noteRefusal } from '#core/money/leash.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { turnKey, type Admission } from '../limits/admission.ts'
import type { RateLimit } from '../limits/rate-limit.ts'

export interface GateDeps {
  store: Store
  clock: Clock
  authenticator: Authenticator
  rateLimit: RateLimit
  /** Shared by all tokens of an account, because it can create any number of them. */
  accountLimit: RateLimit
  /** Fair queue of the accounts. */
  admission: Admission
  identifyCarrier: (headers: FastifyRequest['headers'], body: string) => Promise<CarrierCaller>
  /** User of a signed link. */
  identifyAddressee: (url: string) => Promise<UserCaller>
}

type SocketRequest = Pick<FastifyRequest, 'headers' | 'ip'>

interface SocketNeeds {
  /** Any one of these, or `all`. */
  scopes: readonly Scope[]
  permission: Restriction
  /** Parameters of its path. */
  params: Readonly<Record<string, string>>
}

const watched = new Set(['/health', '/ready'])

/** Authorises an operation before a byte of the body is read. */
export class Gate {
  readonly #store: Store
  readonly #clock: Clock
  readonly #authenticator: Authenticator
  readonly #rateLimit: RateLimit
  readonly #accountLimit: RateLimit
  readonly #admission: Admission
  readonly #identifyCarrier: GateDeps['identifyCarrier']
  readonly #identifyAddressee: GateDeps['identifyAddressee']

  constructor({ store, clock, authenticator, rateLimit, accountLimit, admission, identifyCarrier, identifyAddressee }: GateDeps) {
    this.#identifyCarrier = identifyCarrier
    this.#identifyAddressee = identifyAddressee
    this.#store = store
    this.#clock = clock
    this.#authenticator = authenticator
    this.#rateLimit = rateLimit
    this.#accountLimit = accountLimit
    this.#admission = admission
  }

  /** Synchronous for cached tokens, which are most requests, unless a lookup is needed or other accounts are first in the queue. */
  guard(operation: Operation): onRequestHookHandler {
    return (request, reply, done) => {
      const enter = (): void => this.#admission.enter(operation, turnKey(request), reply.raw, done)
      try {
        const waiting = this.#admit(operation, request, reply)
        if (waiting) waiting.then(enter).catch(done)
        else enter()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  /** For paths that are not operations, and for unknown ones. Evaluated once per route, when it is added. */
  guardPages(app: FastifyInstance): void {
    const unspecified = this.#guardPage(undefined)
    app.addHook('onRequest', (request, reply, done) => (request.is404 ? unspecified.call(app, request, reply, done) : done()))
    app.addHook('onRoute', (route) => {
      if (route.config?.operation === undefined) route.onRequest = [this.#guardPage(route.url), ...[route.onRequest ?? []].flat()]
    })
  }

  /** Health checks are counted separately, so that a flood of other requests does not make them fail. */
  #guardPage(path: string | undefined): onRequestHookHandler {
    const apart = watched.has(path ?? '') ? 'watch ' : ''
    return (request, reply, done) => {
      if (request.url.split('?', 1)[0]?.includes('%00')) refuseNul(request) // a gateway's text after the question mark may contain some
      take(this.#rateLimit, apart + addressBlock(request.ip), reply)
      done()
    }
  }

  #admit(operation: Operation, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    refuseNul(request)
    request.caller = undefined
    // A carrier's message is identified by its signature over the body, which has not arrived yet: see admitCarrier.
    if (operation.auth === 'public' || operation.auth === 'carrier') return take(this.#rateLimit, addressBlock(request.ip), reply)
    if (operation.signedAddress && request.headers.authorization === undefined && request.url.includes('?'))
      return this.#admitAddressee(operation, request, reply)
    const known = this.#authenticator.identify(request.headers.authorization)
    return known instanceof Promise
      ? known.then((caller) => this.#admitCaller(operation, request, reply, caller))
      : this.#admitCaller(operation, request, reply, known)
  }

  /** Second step for carriers, once the body has arrived. */
  async admitCarrier(request: FastifyRequest): Promise<void> {
    request.caller = await this.#identifyCarrier(request.headers, request.rawBody)
  }

  /** The same for a WebSocket, which uses the same header but is not an operation. */
  async admitSocket({ headers, ip }: SocketRequest, { scopes, permission, params }: SocketNeeds): Promise<UserCaller> {
    const caller = await this.#authenticator.identify(headers.authorization)
    if (!caller) throw this.#unknown({ headers, ip })
    this.#count(caller)
    if (caller.kind !== 'user') throw new Problem('not_authenticated')
    requireSecondFactor(caller)
    requireScope(caller, scopes)
    if (caller.leash) throw new Problem('leash_not_allowed')
    requireInScope(caller, permission, params)
    await demand(this.#store, permission, caller, caller.userId)
    return caller
  }

  async #admitAddressee(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    take(this.#rateLimit, addressBlock(request.ip), reply)
    await this.#admitCaller(operation, request, reply, await this.#identifyAddressee(request.url))
  }

  #admitCaller(operation: Operation, request: FastifyRequest, reply: FastifyReply, caller: KnownCaller | undefined): void | Promise<void> {
    if (!caller) throw this.#unknown(request, reply)
    this.#count(caller, reply)
    if (caller.kind !== operation.auth) throw new Problem('not_authenticated')
    request.caller = caller
    if (caller.scopes.length === 0 && !operation.beforeSecondFactor) throw new Problem('second_factor_missing')
    if (caller.kind === 'operator') return
    if (!operation.beforeSecondFactor) requireSecondFactor(caller)
    const { scopes = [], permission } = operation
    if (caller.scopes.length > 0) requireScope(caller, scopes)
    const refused = caller.leash && refusalByLeash(operation, caller.leash, request.headers)
    if (refused) return this.#refuseByLeash(operation, caller, refused)
    if (permission && caller.grants) requireInScope(caller, permission, request.params as object, operation.scoped)
    const { userId = caller.userId } = request.params as { userId?: string }
    if (userId !== caller.userId) return this.#admitForOther(permission, caller, userId)
    if (permission) return demand(this.#store, permission, caller, userId)
  }

  async #refuseByLeash({ id }: Operation, caller: UserCaller, code: ErrorCode): Promise<never> {
    await noteRefusal({ store: this.#store, clock: this.#clock }, caller, { code, operation: id })
    throw new Problem(code)
  }

  #count(caller: KnownCaller, reply?: FastifyReply): void {
    take(this.#rateLimit, caller.tokenId, reply)
    if (caller.kind === 'user') take(this.#accountLimit, caller.accountId, reply)
  }

  /** Token guesses are counted like all requests without a token. */
  #unknown({ ip, headers }: SocketRequest, reply?: FastifyReply): Problem {
    take(this.#rateLimit, addressBlock(ip), reply)
    return new Problem(headers.authorization === undefined ? 'not_authenticated' : 'invalid_token')
  }

  async #admitForOther(permission: Restriction | undefined, caller: UserCaller, userId: string): Promise<void> {
    if (!(await this.#store.read.users.find(caller.accountId, userId))) throw new Problem('user_not_found')
    if (permission) await demand(this.#store, permission, caller, userId)
  }
}

/** Names the limit in the reply, on the raw response, so that replies of the identity provider carry it, too. */
const take = (limit: RateLimit, key: string, reply: FastifyReply | undefined): void => {
  try {
    limit.take(key)
  } finally {
    if (reply && limit.policy !== undefined) {
      add(reply, 'ratelimit-policy', limit.policy)
      add(reply, 'ratelimit', limit.state(key))
    }
  }
}

const add = ({ raw }: FastifyReply, name: string, item: string): void => {
  const before = raw.getHeader(name)
  raw.setHeader(name, typeof before === 'string' ? `${before}, ${item}` : item)
}

/** For tokens older than the account's requirement, or derived from such a token. */
const requireSecondFactor = ({ lacksSecondFactor }: UserCaller): void => {
  if (lacksSecondFactor)
    throw new Problem(
      'second_factor_missing',
      'The account demands a second factor, and this token comes from a login without one: log in with it, and make a new token.',
    )
}

const requireScope = (caller: UserCaller, scopes: readonly Scope[]): void => {
  if (!carries(caller.scopes, scopes)) throw scopeMissing(scopes)
}

const scopeMissing = (scopes: readonly Scope[]): Problem => {
  const scope = scopes.find((one) => one !== 'internal') ?? 'all'
  return new Problem('scope_missing', `The token needs one of the scopes all, ${scopes.join(', ')}.`, { scope })
}

const carries = (granted: readonly Scope[], accepted: readonly Scope[]): boolean =>
  granted.includes('all') || accepted.some((scope) => scope !== 'internal' && granted.includes(scope))

/** The leash's limits on destinations, count and spending are checked where money is reserved. */
const refusalByLeash = (
  { method, tools, credentials, idempotent }: Operation,
  leash: HeldBy,
  headers: FastifyRequest['headers'],
): ErrorCode | undefined => {
  const allowed = tools ? tools.some((tool) => leash.tools.includes(tool)) : method === 'GET' && !credentials
  if (!allowed) return 'leash_not_allowed'
  const unconfirmed = idempotent && leash.confirm === 'client' && headers[confirmedHeader] !== 'true'
  return unconfirmed ? 'leash_confirmation_missing' : undefined
}

/** PostgreSQL rejects a NUL even in a search. */
const refuseNul = ({ url, params, query }: FastifyRequest): void => {
  if (!url.includes('%00')) return
  const given = Object.entries({ ...(params as object), ...(query as object) })
  const [field = 'address'] = given.find(([, value]) => String(value).includes('\0')) ?? []
  throw Problem.field(field, 'contains a NUL character')
}
