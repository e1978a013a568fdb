import type { BodyOf, Operation, ParamsOf, QueryOf, ReplyOf } from '@offhook/contract/operation.ts'
import type { EventsReply } from '../reply/send-events.ts'
import type { PiecesReply } from '../reply/send-json.ts'
import type { FileReply } from '../reply/send-file.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { Caller, CarrierCaller, OperatorCaller, UserCaller } from '#core/account/identity/caller/caller.ts'

type CallerOf<A extends Operation['auth']> = A extends 'user'
  ? UserCaller
  : A extends 'operator'
    ? OperatorCaller
    : A extends 'carrier'
      ? CarrierCaller
      : undefined

/** Input of a handler. All of it is validated. */
interface Context<O extends Operation> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  caller: CallerOf<O['auth']>
  /** Id of the request's effect: the same for a repeated Idempotency-Key, so that a repetition finds the existing result. */
  effectId: string
  ip: string
  authorization: string | undefined
  /** Origin of the requesting browser page, if it is our own. */
  ownPage: string | undefined
  /** User-Agent header. */
  userAgent: string | undefined
  /** Cookie header. */
  cookie: string | undefined
  /** Sets a cookie with the reply. */
  setCookie: (cookie: string) => void
  /** Sets a reply header. */
  setHeader: (name: string, value: string) => void
  /** If-Match header: the version that the caller knows. */
  ifMatch: string | undefined
  /** Last-Event-ID of a resumed event stream. */
  lastEventId: string | undefined
  /** Whether the list is requested as CSV, where the operation supports it. */
  wantsCsv: boolean
  /** Yields to the event loop: await it between steps of some milliseconds each. */
  breathe: () => Promise<void>
  /** W3C Trace Context of the request, if present. */
  trace: IncomingTrace | undefined
}

type HandlerReply<O extends Operation> = O extends { file: string }
  ? FileReply
  : O extends { text: true }
    ? string | PiecesReply
    : O extends { events: object }
      ? EventsReply
      : O extends { heavy: true }
        ? ReplyOf<O> | PiecesReply
        : ReplyOf<O>

type Handler<O extends Operation> = (context: Context<O>) => Promise<HandlerReply<O>>

/** A handler for each operation, by its name; the identity provider answers the OAuth ones. */
export type Handlers<Ops extends Record<string, Operation>> = {
  [Id in keyof Ops as Ops[Id] extends { protocol: 'oauth' } ? never : Id]: Handler<Ops[Id]>
}

export type AnyHandler = (context: {
  params: Record<string, string>
  query: unknown
  body: unknown
  caller: Caller | undefined
  effectId: string
  ip: string
  authorization: string | undefined
  ownPage: string | undefined
  cookie: string | undefined
  userAgent: string | undefined
  setCookie: (cookie: string) => void
  setHeader: (name: string, value: string) => void
  ifMatch: string | undefined
  lastEventId: string | undefined
  wantsCsv: boolean
  breathe: () => Promise<void>
  trace: IncomingTrace | undefined
}) => Promise<unknown>
