import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Restriction } from './restrictions.ts'
import type { Scope } from './scopes.ts'
import type { ToolName } from './tools.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The kind of caller: anyone, a user of an account, the operator of the installation, another carrier. */
export type Auth = 'public' | 'user' | 'operator' | 'carrier'

/** One operation of the interface, declared once: types, validation, permissions, documentation and the SDK come from it. */
export interface Operation {
  /** Name of the handler, the SDK method, the OpenAPI operation and the log field. */
  id: string
  method: Method
  /** With `{name}` for each path parameter. Path parameters are strings; what they name may simply not exist. */
  path: string
  summary: string
  /** More, in Markdown, where one line is not enough. */
  description?: string
  auth: Auth
  /** Whether the specification marks it as requiring a bearer token. Unmarked operations may still need a known caller. */
  bearer: boolean
  /** Any one of these, or `all`. */
  scopes?: readonly Scope[]
  /** The tools of MCP that use it: a token with a leash needs one that allows any of them. Of the rest such a token may only read (GET). */
  tools?: readonly ToolName[]
  /** Hands out what opens other doors, so that no token with a leash may read it. */
  credentials?: true
  /** Also for a login whose second factor is demanded and not set up yet. */
  beforeSecondFactor?: true
  /** What `/v1/restrictions` tells about it, checked for the user in the path, or the caller. */
  permission?: Restriction
  query?: TObject
  body?: TSchema
  /** The body is application/x-www-form-urlencoded instead of JSON. */
  form?: true
  /** Bytes; only where the usual limit does not fit. */
  bodyLimit?: number
  /** Answered by the identity provider, which speaks OAuth and not our error format. */
  protocol?: 'oauth'
  /** Takes an Idempotency-Key, because a repetition would cost twice. */
  idempotent?: true
  /** Takes If-Match with the ETag of what was read, so that nobody's change is lost. */
  conditional?: true
  status: 200 | 201 | 202 | 204 | 303
  reply?: TSchema
  /** Instead of a reply: a text/event-stream of these, until either side closes the connection. */
  events?: TSchema
  /** Instead of a reply: a file of this type, or a part of it. */
  file?: 'audio/wav' | 'application/pdf' | 'image/png' | 'text/csv'
  /** Instead of a reply: plain text, for programs that read lines. */
  text?: true
  /** Of one of these types, which the request chooses; plain unless told. */
  textTypes?: readonly ('text/plain' | 'text/csv' | 'text/vcard')[]
  /** Whoever accepts text/csv gets the list as rows, all pages of it. */
  csv?: true
  /** Answered without a token, too, at an address that was signed for a user. */
  signedAddress?: true
  /** Where what was begun can be found: the Location header, with `{name}` for fields of the reply. */
  location?: string
  errors?: readonly ErrorCode[]
}

export const operation = <const O extends Operation>(declared: O): O => declared

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

export type ParamsOf<O extends Operation> = { [Name in PathNames<O['path']>]: string }
export type QueryOf<O extends Operation> = O['query'] extends TSchema ? Static<O['query']> : Record<never, never>
export type BodyOf<O extends Operation> = O['body'] extends TSchema ? Static<O['body']> : undefined
export type ReplyOf<O extends Operation> = O['reply'] extends TSchema ? Static<O['reply']> : void

export type Operations = Record<string, Operation>

/** `/v1/users/{userId}` → `['userId']` */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
