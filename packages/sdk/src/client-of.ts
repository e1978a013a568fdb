import type { BodyOf, ErrorBody, Operation, operations, ParamsOf, QueryOf, ReplyOf } from '@offhook/contract'

export interface ClientOptions {
  /** Address of the service, for example `http://127.0.0.1:8080`. */
  baseUrl: string
  /** An access token, or a personal access token as `id:secret`. */
  token?: string | undefined
  fetch?: typeof fetch
}

/** The fields of an operation that a client needs. */
export type Route = Pick<Operation, 'method' | 'path' | 'form' | 'file' | 'text'>

type Operations = typeof operations
type Target<O extends Operation> = ParamsOf<O> & QueryOf<O>
type Parameter = string | number | boolean | undefined

export interface CallOptions {
  /** Requests with the same key take effect once. */
  idempotencyKey?: string
  /** The ETag of the version that was read; the request fails if it has changed since. */
  ifMatch?: string
}

/** A POST without a body takes an idempotency key, too. */
type KeyOf<O extends Operation> = O['method'] extends 'POST' ? [body?: undefined, options?: CallOptions] : []

/** Path and query parameters first, then the body; each only if the operation has it. */
type Arguments<O extends Operation> =
  BodyOf<O> extends undefined
    ? Record<never, never> extends Target<O>
      ? [target?: Target<O>, ...KeyOf<O>]
      : [target: Target<O>, ...KeyOf<O>]
    : [target: Target<O>, body: BodyOf<O>, options?: CallOptions]

/** The reply of an operation; files are returned as bytes. */
type Answer<O extends Operation> = O extends { file: string } ? Uint8Array : O extends { text: true } ? string : ReplyOf<O>

export type Client = { [Id in keyof Operations]: (...input: Arguments<Operations[Id]>) => Promise<Answer<Operations[Id]>> }

/** Our error format or the OAuth one; empty for any other reply, for example from a proxy. */
type AnyErrorBody = Partial<ErrorBody> & { error?: string; error_description?: string }

/** An error reply of the service. */
export class ApiError extends Error {
  readonly status: number
  readonly body: AnyErrorBody
  /** Seconds to wait before a retry, if the service sent Retry-After. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: AnyErrorBody, retryAfter?: number) {
    super(body.message ?? body.error_description ?? body.error ?? `the service answered ${status}`)
    this.name = body.name ?? 'ApiError'
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** A client that needs only the route table, no schemas: keeps browser bundles small. */
export const clientOf = (options: ClientOptions, routes: Readonly<Record<string, Route>>): Client => {
  const entries = Object.entries(routes).map(([id, route]) => [id, caller(options, id, route)] as const)
  return Object.fromEntries(entries) as unknown as Client
}

type AnyCall = (target?: Record<string, Parameter | Parameter[]>, body?: unknown, options?: CallOptions) => Promise<unknown>

const caller =
  ({ baseUrl, token, fetch: send = fetch }: ClientOptions, id: string, route: Route): AnyCall =>
  async (target = {}, body, { idempotencyKey, ifMatch } = {}) => {
    if (body === undefined) refuseBodyFirst(id, route, target)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers.authorization = authorizationOf(token)
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (ifMatch !== undefined) headers['if-match'] = ifMatch
    const payload = encodeBody(route, body, headers)
    const url = baseUrl.replace(/\/+$/, '') + addressOf(route, target)
    const reply = await send(url, { method: route.method, headers, redirect: 'manual', ...payload })
    if (route.file && reply.ok) return new Uint8Array(await reply.arrayBuffer())
    if (route.text && reply.ok) return reply.text()
    if (!reply.ok) throw await refusal(reply)
    const text = await reply.text()
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }

export const refusal = async (reply: Response): Promise<ApiError> =>
  new ApiError(reply.status, parseError(await reply.text()), secondsOf(reply.headers.get('retry-after')))

/** The Authorization header. A personal access token has a colon, which no other token has. */
export const authorizationOf = (token: string): string => (token.includes(':') ? `Basic ${btoa(token)}` : `Bearer ${token}`)

/** POST and PUT have no query. Untyped callers would otherwise only get a "body is missing" error from the service. */
const refuseBodyFirst = (id: string, { method, path }: Route, target: object): void => {
  const [stray] = Object.entries(target).flatMap(([name, value]) => (value === undefined || path.includes(`{${name}}`) ? [] : name))
  if (stray === undefined || (method !== 'POST' && method !== 'PUT')) return
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).join(', ')
  const first = inPath === '' ? '{}' : `{ ${inPath} }`
  throw new TypeError(`${id}: ${stray} is not part of ${path}. The body is the second argument: ${id}(${first}, { ${stray}, … })`)
}

const encodeBody = ({ form }: Route, body: unknown, headers: Record<string, string>): { body?: string } => {
  if (body === undefined) return {}
  headers['content-type'] = form ? 'application/x-www-form-urlencoded' : 'application/json'
  return { body: form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body) }
}

/** Fills the path; the remaining parameters become the query. */
const addressOf = ({ path }: Route, target: Record<string, Parameter | Parameter[]>): string => {
  const left = new Map(Object.entries(target))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = left.get(name)
    left.delete(name)
    // Any of these would address another resource.
    if (value === undefined || value === null || ['', '.', '..'].includes(String(value))) throw new TypeError(`${name} is required`)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of left) for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one))
  return query.size === 0 ? filled : `${filled}?${query.toString()}`
}

const parseError = (text: string): AnyErrorBody => {
  try {
    return Object(JSON.parse(text)) as AnyErrorBody
  } catch {
    return {}
  }
}

const secondsOf = (header: string | null): number | undefined => (header !== null && /^\d+$/.test(header) ? Number(header) : undefined)
