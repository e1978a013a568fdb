import { operations, type BodyOf, type ErrorBody, type Operation, type ParamsOf, type QueryOf, type ReplyOf } from '@offhook/contract'

export interface ClientOptions {
  /** Where the service is, for example `http://127.0.0.1:8080`. */
  baseUrl: string
  token?: string | undefined
  fetch?: typeof fetch
}

type Operations = typeof operations
type Target<O extends Operation> = ParamsOf<O> & QueryOf<O>
type Parameter = string | number | boolean | undefined

/** Path and query parameters first, then the body; both only where the operation has them. */
type Arguments<O extends Operation> =
  BodyOf<O> extends undefined
    ? Record<never, never> extends Target<O>
      ? [target?: Target<O>]
      : [target: Target<O>]
    : [target: Target<O>, body: BodyOf<O>, options?: { idempotencyKey?: string }]

/** What an operation answers; files as they are. */
type Answer<O extends Operation> = O extends { file: string } ? Uint8Array : ReplyOf<O>

export type Client = { [Id in keyof Operations]: (...input: Arguments<Operations[Id]>) => Promise<Answer<Operations[Id]>> }

/** Our own form, or that of OAuth from the operations that speak it; empty when the answer was neither, as from a proxy on the way. */
type AnyErrorBody = Partial<ErrorBody> & { error?: string; error_description?: string }

/** What the service answered instead of doing it. */
export class ApiError extends Error {
  readonly status: number
  readonly body: AnyErrorBody
  /** Seconds until another try makes sense, when the service said so. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: AnyErrorBody, retryAfter?: number) {
    super(body.message ?? body.error_description ?? body.error ?? `the service answered ${status}`)
    this.name = body.name ?? 'ApiError'
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** A typed client: one method for each operation of the contract, no generated code. */
export const createClient = (options: ClientOptions): Client => {
  const entries = Object.entries<Operation>(operations).map(([id, operation]) => [id, caller(options, operation)] as const)
  return Object.fromEntries(entries) as unknown as Client
}

type AnyCall = (target?: Record<string, Parameter | Parameter[]>, body?: unknown, options?: { idempotencyKey?: string }) => Promise<unknown>

const caller =
  ({ baseUrl, token, fetch: send = fetch }: ClientOptions, operation: Operation): AnyCall =>
  async (target = {}, body, { idempotencyKey } = {}) => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    const payload = encodeBody(operation, body, headers)
    const url = baseUrl.replace(/\/+$/, '') + addressOf(operation, target)
    const reply = await send(url, { method: operation.method, headers, redirect: 'manual', ...payload })
    if (operation.file && reply.ok) return new Uint8Array(await reply.arrayBuffer())
    const text = await reply.text()
    if (!reply.ok) throw new ApiError(reply.status, parseError(text), secondsOf(reply.headers.get('retry-after')))
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }

const encodeBody = (operation: Operation, body: unknown, headers: Record<string, string>): { body?: string } => {
  if (body === undefined) return {}
  headers['content-type'] = operation.form ? 'application/x-www-form-urlencoded' : 'application/json'
  return { body: operation.form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body) }
}

/** Fills the path; what is left over becomes the query. */
const addressOf = ({ path }: Operation, target: Record<string, Parameter | Parameter[]>): string => {
  const left = new Map(Object.entries(target))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = left.get(name)
    left.delete(name)
    // Any of these would make it the address of something else.
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
