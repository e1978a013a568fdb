import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/account/identity/caller/caller.ts'
import { incomingTrace } from '#core/kernel/trace/trace-context.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'

/** What a handler may ask of a request. Most need little of it, so the rest is found out when somebody asks. */
export class RequestContext {
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #effectId: string | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, query: unknown, body: unknown, effectId: string | undefined) {
    this.#request = request
    this.#reply = reply
    this.query = query
    this.body = body
    this.caller = request.caller
    this.#effectId = effectId
  }

  get params(): Record<string, string> {
    return this.#request.params as Record<string, string>
  }

  get effectId(): string {
    return (this.#effectId ??= randomUUID())
  }

  get ip(): string {
    return this.#request.ip
  }

  get authorization(): string | undefined {
    return this.#request.headers.authorization
  }

  /** What a browser says of the page that asks; a page of another site cannot say it. */
  get ownPage(): string | undefined {
    const { origin, host } = this.#request.headers
    return origin !== undefined && URL.parse(origin)?.host === host?.toLowerCase() ? origin : undefined
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent']
  }

  get cookie(): string | undefined {
    return this.#request.headers.cookie
  }

  get setCookie(): (cookie: string) => void {
    return (cookie) => void this.#reply.header('set-cookie', cookie)
  }

  get setHeader(): (name: string, value: string) => void {
    return (name, value) => void this.#reply.header(name, value)
  }

  get ifMatch(): string | undefined {
    return this.#request.headers['if-match']
  }

  get lastEventId(): string | undefined {
    const header = this.#request.headers['last-event-id']
    return Array.isArray(header) ? header[0] : header
  }

  get wantsCsv(): boolean {
    return this.#request.headers.accept?.includes('text/csv') ?? false
  }

  get trace(): IncomingTrace | undefined {
    return incomingTrace(this.#request.headers)
  }
}
