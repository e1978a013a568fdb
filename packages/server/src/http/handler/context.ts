import type { BodyOf, Operation, ParamsOf, QueryOf, ReplyOf } from '@offhook/contract/operation.ts'
import type { EventsReply } from '../reply/send-events.ts'
import type { CsvReply } from '../reply/send-csv.ts'
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

/** What a handler gets. Everything in it has been checked. */
export interface Context<O extends Operation> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  caller: CallerOf<O['auth']>
  /** Names the effect of this request: the same for a repeated Idempotency-Key, so that a repetition finds what is already there. */
  effectId: string
  ip: string
  authorization: string | undefined
  /** The origin of the page from which a browser asks, if it is one of ours. */
  ownPage: string | undefined
  /** What the program calls itself. */
  userAgent: string | undefined
  /** Cookies of the request. */
  cookie: string | undefined
  /** Sets a cookie with the reply. */
  setCookie: (cookie: string) => void
  /** Says something about the reply that is not part of it. */
  setHeader: (name: string, value: string) => void
  /** Of which state of a thing the caller knows: If-Match. */
  ifMatch: string | undefined
  /** Of an event stream that is resumed: the last event that arrived before the connection broke. */
  lastEventId: string | undefined
  /** The list as a table, where the operation has it. */
  wantsCsv: boolean
  /** W3C Trace Context of the request, if it has one. */
  trace: IncomingTrace | undefined
}

type HandlerReply<O extends Operation> = O extends { file: string }
  ? FileReply
  : O extends { text: true }
    ? string
    : O extends { events: object }
      ? EventsReply
      : O extends { csv: true }
        ? ReplyOf<O> | CsvReply
        : ReplyOf<O>

export type Handler<O extends Operation> = (context: Context<O>) => Promise<HandlerReply<O>>

/** A handler for each operation, under its name; those that speak OAuth are answered by the identity provider. */
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
  trace: IncomingTrace | undefined
}) => Promise<unknown>
