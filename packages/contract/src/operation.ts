import { Type, type Static, type TArray, type TObject, type TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Restriction } from './restrictions.ts'
import type { Scope } from './scopes.ts'
import type { ToolName } from './tools.ts'
import { Limit, Offset } from './values.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The kind of requester: anyone, a user of an account, the operator of the installation, another carrier. */
export type Auth = 'public' | 'user' | 'operator' | 'carrier'

/** One operation of the interface, declared once: the source of types, validation, permissions, documentation and the SDK. */
export interface Operation {
  /** Name of the handler, the SDK method, the OpenAPI operation and the log field. */
  id: string
  method: Method
  /** With `{name}` for each path parameter. Path parameters are strings; the resource may not exist. */
  path: string
  summary: string
  /** Additional Markdown if one line is not enough. */
  description?: string
  auth: Auth
  /** Whether the specification marks it as requiring a bearer token. Unmarked operations may still need an authenticated user. */
  bearer: boolean
  /** Any one of these, or `all`. */
  scopes?: readonly Scope[]
  /** The MCP tools that use it: a token with a leash needs one that allows any of them. Without tools such a token may only read (GET). */
  tools?: readonly ToolName[]
  /** Returns credentials for other access: no token with a leash may read it, and a reply kept for an Idempotency-Key is sealed. */
  credentials?: true
  /** Also allowed for a login whose required second factor is not set up yet. */
  beforeSecondFactor?: true
  /** Its name in `/v1/restrictions`, checked for the user in the path, or the requester. */
  permission?: Restriction
  /**
   * Restricts itself to the scope of the caller's own role. Others are open to a permission with a scope only if their path names a group or
   * an assistant of the scope.
   */
  scoped?: true
  query?: TObject
  /** A list that grows while it is read: it goes on after its last place and knows no offset. */
  continues?: true
  body?: TSchema
  /** The body is application/x-www-form-urlencoded instead of JSON. */
  form?: true
  /** Bytes; only if the default limit does not fit. */
  bodyLimit?: number
  /** Answered by the identity provider, in OAuth's error format. */
  protocol?: 'oauth'
  /** Takes milliseconds of CPU or more: an account may run a few of these concurrently, and the others wait (429 `account_busy`). */
  heavy?: true
  /** A repetition would cost twice: a token with a leash may have to confirm it. */
  idempotent?: true
  /** Accepts If-Match with the ETag of the version read, to prevent lost updates. */
  conditional?: true
  status: 200 | 201 | 202 | 204 | 303
  reply?: TSchema
  /** Content type of the reply, if it is not application/json. */
  replyType?: 'application/jwk-set+json'
  /** People see it: its errors are pages in HTML. */
  page?: true
  /** In place of a reply: a text/event-stream of these, until either side closes the connection. */
  events?: TSchema
  /** In place of a reply: a file of this type, or a range of it. */
  file?: 'audio/wav' | 'application/pdf' | 'application/x-tar' | 'image/png' | 'text/csv'
  /** In place of a reply: plain text, for line-based programs. */
  text?: true
  /** For programs that were written for an older version of the interface. */
  deprecated?: true
  /** Available types, chosen by the request; default: plain. */
  textTypes?: readonly ('text/plain' | 'text/csv' | 'text/vcard')[]
  /** With Accept: text/csv the list is returned as rows, as existing programs ask for it. Undocumented: an operation of its own is typed. */
  csv?: true
  /** Also answered without a token at an address signed for a user. */
  signedAddress?: true
  /** Address of the started resource: the Location header, with `{name}` for fields of the reply. */
  location?: string
  errors?: readonly ErrorCode[]
}

/** Every list takes `limit` and `offset`, whatever else it is filtered by. */
export const operation = <const O extends Operation>(declared: O): O =>
  isList(declared) ? { ...declared, query: pagedQuery(declared.query) } : declared

/** The field of the reply that holds the elements of a list. */
export const elementsOf = ({ method, reply, continues }: Operation): 'items' | 'data' | undefined => {
  if (method !== 'GET' || continues) return undefined
  const { properties = {} } = (reply ?? {}) as { properties?: Record<string, { type?: string }> }
  return (['items', 'data'] as const).find((field) => properties[field]?.type === 'array')
}

/** Every POST of a known caller, because a repetition may create a second one. */
export const takesIdempotencyKey = ({ method, auth, protocol, file, events, text }: Operation): boolean =>
  method === 'POST' && (auth === 'user' || auth === 'operator') && !protocol && !file && !events && !text

export const isList = (operation: Operation): boolean => elementsOf(operation) !== undefined

/** Whether the handler returns the requested page; otherwise it returns the whole list. */
export const isPagedByHandler = ({ query }: Operation): boolean => query?.properties['limit'] !== Limit

const pagedQuery = (query?: TObject): TObject =>
  Type.Object({ ...query?.properties, limit: query?.properties['limit'] ?? Limit, offset: query?.properties['offset'] ?? Offset }, closed)

const closed = { additionalProperties: false }

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

export type ParamsOf<O extends Operation> = { [Name in PathNames<O['path']>]: string }
type OwnQueryOf<O extends Operation> = O['query'] extends TSchema ? Static<O['query']> : Record<never, never>
export type QueryOf<O extends Operation> = O extends List ? OwnQueryOf<O> & { limit?: number; offset?: number } : OwnQueryOf<O>
export type BodyOf<O extends Operation> = O['body'] extends TSchema ? Static<O['body']> : undefined
type OwnReplyOf<O extends Operation> = O['reply'] extends TSchema ? Static<O['reply']> : void
/** `totalCount` is there when a page was asked for and the length of the list is known. */
export type ReplyOf<O extends Operation> = O extends List ? OwnReplyOf<O> & { totalCount?: number } : OwnReplyOf<O>

type List = { method: 'GET'; continues?: never; reply: { properties: { items: TArray } | { data: TArray } } }

export type Operations = Record<string, Operation>

/** `/v1/users/{userId}` → `['userId']` */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
