import { errors, type ErrorCode } from '../errors.ts'
import { takesIdempotencyKey, type Operation } from '../operation.ts'

type Json = Record<string, unknown>

/** Errors that every operation may reply with. */
const anywhere: readonly ErrorCode[] = [
  'request_malformed',
  'parameter_invalid',
  'rate_limited',
  'internal_error',
  'unavailable',
  'storage_full',
]
const withBody: readonly ErrorCode[] = ['invalid_json', 'media_type_unsupported', 'body_too_large']

/** Causes per error status of an operation. */
export const failures = (operation: Operation): Json =>
  operation.protocol === 'oauth' ? oauthFailures(operation) : Object.fromEntries(byStatus(codesOf(operation)))

const keyFailures = ['idempotency_in_progress', 'idempotency_reply_too_large', 'idempotency_mismatch'] as const

const codesOf = (operation: Operation): ErrorCode[] => {
  const { auth, body, heavy, file, signedAddress, permission, method, path, beforeSecondFactor, tools, credentials } = operation
  const isPerson = auth === 'user' || auth === 'operator'
  return [
    ...(operation.errors ?? []),
    ...anywhere,
    ...(body ? withBody : []),
    ...(auth === 'public'
      ? []
      : auth === 'carrier'
        ? (['invalid_credentials'] as const)
        : (['not_authenticated', 'invalid_token'] as const)),
    ...(auth === 'user' ? (['scope_missing'] as const) : []),
    ...(auth === 'user' && (method !== 'GET' || tools || credentials) ? (['leash_not_allowed'] as const) : []),
    ...(isPerson && !beforeSecondFactor ? (['second_factor_missing'] as const) : []),
    ...(permission ? (['forbidden'] as const) : []),
    ...(auth === 'user' && path.includes('{userId}') ? (['user_not_found'] as const) : []),
    ...(heavy ? (['account_busy'] as const) : []),
    ...(takesIdempotencyKey(operation) ? keyFailures : []),
    ...(file ? (['range_not_satisfiable'] as const) : []),
    ...(signedAddress ? (['forbidden'] as const) : []),
  ]
}

const tooManyRequests = 429

const byStatus = (codes: ErrorCode[]): [number, Json][] => {
  const statuses = [...new Set(codes.map((code) => errors[code].status))].toSorted((a, b) => a - b)
  return statuses.map((status) => {
    const here = [...new Set(codes.filter((code) => errors[code].status === status))]
    const shared = here.length === 1 ? Object.entries(sharedResponses).find(([, { description }]) => description === here[0]) : undefined
    const own = { ...response(here.join(', '), 'Error'), ...(status === tooManyRequests && { headers: retryAfter }) }
    return [status, shared ? { $ref: `#/components/responses/${shared[0]}` } : own]
  })
}

const retryAfter = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } }

const response = (description: string, schema: 'Error' | 'OauthError') => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
})

/** Responses of nearly every operation, defined once. */
export const sharedResponses = {
  TooManyRequests: { ...response('rate_limited', 'Error'), headers: retryAfter },
  InternalError: response('internal_error', 'Error'),
  Unavailable: response('unavailable', 'Error'),
  StorageFull: response('storage_full', 'Error'),
}

const invalid = 'invalid_request, invalid_grant, invalid_scope, unsupported_grant_type, unauthorized_client'

/** For browsers, chosen by Accept. */
const withPage = ({ description, content }: ReturnType<typeof response>) => ({
  description,
  content: { ...content, 'text/html': { schema: { type: 'string' } } },
})

const oauthFailures = ({ form, body, page }: Operation): Json => ({
  400: page ? withPage(response(invalid, 'OauthError')) : response(invalid, 'OauthError'),
  ...(form && { 401: response('invalid_client', 'OauthError') }),
  ...(body && {
    413: response('invalid_request', 'OauthError'),
    415: response('invalid_request', 'OauthError'),
  }),
  429: response('slow_down', 'OauthError'),
  500: response('server_error', 'OauthError'),
})
