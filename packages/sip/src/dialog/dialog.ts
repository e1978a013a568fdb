import { leniently, SipError } from '../grammar/scan.ts'
import type { Request, Response } from '../message/message.ts'
import { parseNameAddr } from '../grammar/headers.ts'
import { parseUri, type SipUri } from '../grammar/uri.ts'
import { buildResponse } from '../message/build.ts'
import { parseMessage } from '../message/parse.ts'

/** Start of a request inside a dialog. */
export interface DialogRequest {
  method: string
  uri: string
  routes: readonly string[]
  from: string
  to: string
  callId: string
  cseq: number
}

/** Dialog state that another process needs to resume it. */
export interface DialogState {
  callId: string
  /** Header values with tags. */
  local: string
  remote: string
  target: string
  routes: readonly string[]
  /** CSeq of our last request. */
  cseq: number
  /** CSeq of the far end's last request, if any. */
  remoteCseq?: number
}

interface DialogStart {
  callId: string
  localTag: string
  remoteTag: string
  /** Header values with tags. */
  local: string
  remote: string
  /** The far end's Contact. */
  target: string
  routes: readonly string[]
  localCseq: number
  remoteCseq: number | undefined
}

/**
 * CSeq gap after a resume: more requests than a call sends after its state was saved; the far end expects a higher number (RFC 3261
 * §12.2.2).
 */
const unseen = 1_000

/** Methods whose requests and responses refresh the remote target (RFC 3261 §12.2, RFC 3311, RFC 3515, RFC 6665). */
const refreshing = new Set(['INVITE', 'UPDATE', 'REFER', 'NOTIFY', 'SUBSCRIBE'])

/** New remote target. */
const contactOf = (message: Request | Response): string | undefined => {
  const uri = message.contacts[0]?.uri
  if (uri === undefined) return undefined
  const scheme = leniently(() => parseUri(uri).scheme)
  return scheme === 'sip' || scheme === 'sips' ? uri : undefined
}

const isLoose = (route: string): boolean => parseUri(parseNameAddr(route).uri).params['lr'] !== undefined

const tagOf = (address: string): string => parseNameAddr(address).params['tag'] ?? ''

/** Removes the parts that a Request-URI must not have (RFC 3261 §19.1.1). */
const asRequestUri = (route: string): string => {
  const { uri } = parseNameAddr(route)
  const headers = uri.indexOf('?')
  return headers < 0 ? uri : uri.slice(0, headers)
}

/** Peer-to-peer state between two user agents: RFC 3261 §12. */
export class Dialog {
  readonly callId: string
  readonly localTag: string
  readonly remoteTag: string
  readonly #local: string
  readonly #remote: string
  #target: string
  #routes: readonly string[]
  #strict = false
  #hop: SipUri | undefined
  #localCseq: number
  #remoteCseq: number | undefined

  constructor(start: DialogStart) {
    this.callId = start.callId
    this.localTag = start.localTag
    this.remoteTag = start.remoteTag
    this.#local = start.local
    this.#remote = start.remote
    this.#target = start.target
    this.#routes = start.routes
    this.#localCseq = start.localCseq
    this.#remoteCseq = start.remoteCseq
    this.#findStrict()
  }

  /** As the callee. Throws SipError(400) if the request has no reachable Contact. */
  static ofRequest(request: Request, localTag: string, localCseq: number): Dialog {
    // RFC 2543 needed no Contact: the From URI is the target.
    const target = request.contacts.length === 0 ? request.from.uri : contactOf(request)
    if (target === undefined) throw new SipError(400, 'There is no Contact that can be reached')
    return new Dialog({
      callId: request.callId,
      localTag,
      remoteTag: request.fromTag ?? '',
      local: `${request.header('to') ?? ''};tag=${localTag}`,
      remote: request.header('from') ?? '',
      target,
      routes: request.list('record-route'),
      localCseq,
      remoteCseq: request.cseq.number,
    })
  }

  /** As the caller. `uri` is the target until the callee gives its Contact. */
  static ofResponse(response: Response, uri: string, local: string): Dialog {
    return new Dialog({
      callId: response.callId,
      localTag: response.fromTag ?? '',
      remoteTag: response.toTag ?? '',
      local,
      remote: response.header('to') ?? '',
      target: contactOf(response) ?? uri,
      routes: response.list('record-route').toReversed(),
      localCseq: response.cseq.number,
      remoteCseq: undefined,
    })
  }

  /** From saved state; requests sent since then are unknown. */
  static ofState({ callId, local, remote, target, routes, cseq, remoteCseq }: DialogState): Dialog {
    return new Dialog({
      callId,
      localTag: tagOf(local),
      remoteTag: tagOf(remote),
      local,
      remote,
      target,
      routes,
      localCseq: cseq + unseen,
      remoteCseq,
    })
  }

  get state(): DialogState {
    return {
      callId: this.callId,
      local: this.#local,
      remote: this.#remote,
      target: this.#target,
      routes: this.#routes,
      cseq: this.#localCseq,
      ...(this.#remoteCseq !== undefined && { remoteCseq: this.#remoteCseq }),
    }
  }

  get target(): string {
    return this.#target
  }

  get localCseq(): number {
    return this.#localCseq
  }

  /** Next hop: the first router, or the far end itself. */
  get hop(): SipUri {
    const route = this.#routes[0]
    this.#hop ??= parseUri(route === undefined ? this.#target : parseNameAddr(route).uri)
    return this.#hop
  }

  /** The next request. An ACK, or a request repeated after a challenge, passes its own CSeq. */
  request(method: string, cseq: number = ++this.#localCseq): DialogRequest {
    const [first, ...others] = this.#routes
    const strict = this.#strict && first !== undefined
    return {
      method,
      uri: strict ? asRequestUri(first) : this.#target,
      routes: strict ? [...others, `<${this.#target}>`] : this.#routes,
      from: this.#local,
      to: this.#remote,
      callId: this.callId,
      cseq,
    }
  }

  /** Rejects a request with a lower CSeq than the last one (RFC 3261 §12.2.2). */
  takeInOrder(request: Request): boolean {
    if (this.#remoteCseq !== undefined && request.cseq.number < this.#remoteCseq) return false
    this.#remoteCseq = request.cseq.number
    return true
  }

  /** Takes the Contact of an accepted request or of a 2xx. Returns true if the remote target has changed. */
  refreshTarget(message: Request | Response): boolean {
    const target = refreshing.has(message.cseq.method) ? contactOf(message) : undefined
    if (target === undefined || target === this.#target) return false
    this.#target = target
    this.#hop = undefined
    return true
  }

  /** Takes the route set of the 2xx (RFC 3261 §13.2.2.4). Throws SipError if it is unparsable. */
  confirm(response: Response): this {
    this.#routes = response.list('record-route').toReversed()
    this.#hop = undefined
    this.#findStrict()
    this.refreshTarget(response)
    return this
  }

  #findStrict(): void {
    const first = this.#routes[0]
    this.#strict = first !== undefined && !isLoose(first)
  }
}

/** A local 408 or 503 in place of a missing response (RFC 3261 §8.1.3.1). */
export const localResponse = (status: number, request: Omit<DialogRequest, 'uri' | 'routes'>): Response => {
  const bytes = buildResponse(status, [
    ['Via', 'SIP/2.0/UDP nobody.invalid'],
    ['From', request.from],
    ['To', request.to],
    ['Call-ID', request.callId],
    ['CSeq', `${request.cseq} ${request.method}`],
  ])
  const message = parseMessage(bytes)
  if (message.kind !== 'response') throw new TypeError('A response is a response')
  return message
}
