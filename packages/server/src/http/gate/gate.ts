import type { ErrorCode } from '@offhook/contract/errors.ts'
import type { Operation } from '@offhook/contract/operation.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import { confirmedHeader } from '@offhook/contract/tools.ts'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { CarrierCaller, HeldBy, KnownCaller, UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { noteRefusal } from '#core/money/leash.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RateLimit } from '../limits/rate-limit.ts'

export interface GateDeps {
  store: Store
  clock: Clock
  authenticator: Authenticator
  rateLimit: RateLimit
  /** For all tokens of an account together, because it can make any number of them. */
  accountLimit: RateLimit
  identifyCarrier: (headers: FastifyRequest['headers'], body: string) => Promise<CarrierCaller>
  /** The user for whom a link was signed. */
  identifyAddressee: (url: string) => Promise<UserCaller>
}

type SocketRequest = Pick<FastifyRequest, 'headers' | 'ip'>

interface SocketNeeds {
  /** Any one of these, or `all`. */
  scopes: readonly Scope[]
  permission: Restriction
}

const watched = new Set(['/health', '/ready'])

/** Decides who may call an operation, before a byte of the body is read. */
export class Gate {
  readonly #store: Store
  readonly #clock: Clock
  readonly #authenticator: Authenticator
  readonly #rateLimit: RateLimit
  readonly #accountLimit: RateLimit
  readonly #identifyCarrier: GateDeps['identifyCarrier']
  readonly #identifyAddressee: GateDeps['identifyAddressee']

  constructor({ store, clock, authenticator, rateLimit, accountLimit, identifyCarrier, identifyAddressee }: GateDeps) {
    this.#identifyCarrier = identifyCarrier
    this.#identifyAddressee = identifyAddressee
    this.#store = store
    this.#clock = clock
    this.#authenticator = authenticator
    this.#rateLimit = rateLimit
    this.#accountLimit = accountLimit
  }

  /** Goes on without waiting unless something must be looked up: most requests come with a token that was seen a moment ago. */
  guard(operation: Operation): onRequestHookHandler {
    return (request, _reply, done) => {
      try {
        const waiting = this.#admit(operation, request)
        if (waiting) waiting.then(() => done(), done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  /** For paths that are no operation, and those that there are not. What a route is for is told once, when it is added. */
  guardPages(app: FastifyInstance): void {
    const unspecified = this.#guardPage(undefined)
    app.addHook('onRequest', (request, reply, done) => (request.is404 ? unspecified.call(app, request, reply, done) : done()))
    app.addHook('onRoute', (route) => {
      if (route.config?.operation === undefined) route.onRequest = [this.#guardPage(route.url), ...[route.onRequest ?? []].flat()]
    })
  }

  /** Health checks are counted apart, so that a flood of other requests does not make them fail. */
  #guardPage(path: string | undefined): onRequestHookHandler {
    const apart = watched.has(path ?? '') ? 'watch ' : ''
    return (request, _reply, done) => {
      if (request.url.split('?', 1)[0]?.includes('%00')) refuseNul(request) // behind the mark a gateway's text may have some
      this.#rateLimit.take(apart + addressBlock(request.ip))
      done()
    }
  }

  #admit(operation: Operation, request: FastifyRequest): void | Promise<void> {
    refuseNul(request)
    request.caller = undefined
    // A carrier's message is known by its signature over the body, which has not arrived yet: see admitCarrier.
    if (operation.auth === 'public' || operation.auth === 'carrier') return this.#rateLimit.take(addressBlock(request.ip))
    if (operation.signedAddress && request.headers.authorization === undefined && request.url.includes('?'))
      return this.#admitAddressee(operation, request)
    const known = this.#authenticator.identify(request.headers.authorization)
    return known instanceof Promise
      ? known.then((caller) => this.#admitCaller(operation, request, caller))
      : this.#admitCaller(operation, request, known)
  }

  /** The second half for carriers, when the body is there. */
  async admitCarrier(request: FastifyRequest): Promise<void> {
    request.caller = await this.#identifyCarrier(request.headers, request.rawBody)
  }

  /** The same for a WebSocket, which is asked for with the same header but is no operation. */
  async admitSocket({ headers, ip }: SocketRequest, { scopes, permission }: SocketNeeds): Promise<UserCaller> {
    const caller = await this.#authenticator.identify(headers.authorization)
    if (!caller) throw this.#unknown({ headers, ip })
    this.#count(caller)
    if (caller.kind !== 'user') throw new Problem('not_authenticated')
    requireScope(caller, scopes)
    if (caller.leash) throw new Problem('leash_not_allowed')
    await demand(this.#store, permission, caller, caller.userId)
    return caller
  }

  async #admitAddressee(operation: Operation, request: FastifyRequest): Promise<void> {
    this.#rateLimit.take(addressBlock(request.ip))
    await this.#admitCaller(operation, request, await this.#identifyAddressee(request.url))
  }

  #admitCaller(operation: Operation, request: FastifyRequest, caller: KnownCaller | undefined): void | Promise<void> {
    if (!caller) throw this.#unknown(request)
    this.#count(caller)
    if (caller.kind !== operation.auth) throw new Problem('not_authenticated')
    request.caller = caller
    if (caller.scopes.length === 0 && !operation.beforeSecondFactor) throw new Problem('second_factor_missing')
    if (caller.kind === 'operator') return
    const { scopes = [], permission } = operation
    if (caller.scopes.length > 0) requireScope(caller, scopes)
    const refused = caller.leash && refusalByLeash(operation, caller.leash, request.headers)
    if (refused) return this.#refuseByLeash(operation, caller, refused)
    const { userId = caller.userId } = request.params as { userId?: string }
    if (userId !== caller.userId) return this.#admitForOther(permission, caller, userId)
    if (permission) return demand(this.#store, permission, caller, userId)
  }

  async #refuseByLeash({ id }: Operation, caller: UserCaller, code: ErrorCode): Promise<never> {
    await noteRefusal({ store: this.#store, clock: this.#clock }, caller, { code, operation: id })
    throw new Problem(code)
  }

  #count(caller: KnownCaller): void {
    this.#rateLimit.take(caller.tokenId)
    if (caller.kind === 'user') this.#accountLimit.take(caller.accountId)
  }

  /** Guessing is counted like everything else that comes without a token. */
  #unknown({ ip, headers }: SocketRequest): Problem {
    this.#rateLimit.take(addressBlock(ip))
    return new Problem(headers.authorization === undefined ? 'not_authenticated' : 'invalid_token')
  }

  async #admitForOther(permission: Restriction | undefined, caller: UserCaller, userId: string): Promise<void> {
    if (!(await this.#store.read.users.find(caller.accountId, userId))) throw new Problem('user_not_found')
    if (permission) await demand(this.#store, permission, caller, userId)
  }
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

/** Whom a leash allows to call and write to, how often and for how much is counted where the money is reserved. */
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

/** PostgreSQL cannot even look for a NUL. */
const refuseNul = ({ url, params, query }: FastifyRequest): void => {
  if (!url.includes('%00')) return
  const given = Object.entries({ ...(params as object), ...(query as object) })
  const [field = 'address'] = given.find(([, value]) => String(value).includes('\0')) ?? []
  throw Problem.field(field, 'contains a NUL character')
}
