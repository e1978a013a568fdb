import { leniently } from '../grammar/lenient.ts'
import type { Request, Response } from '../message/message.ts'
import { parseNameAddr } from '../grammar/name-addr.ts'
import { SipError } from '../grammar/sip-error.ts'
import { parseUri } from '../grammar/uri.ts'
import type { SipUri } from '../grammar/uri.ts'

/** What a request inside a dialog begins with. */
export interface DialogRequest {
  method: string
  uri: string
  routes: readonly string[]
  from: string
  to: string
  callId: string
  cseq: number
}

/** What another process needs to go on with a dialog. */
export interface DialogState {
  callId: string
  /** Header values with tags. */
  local: string
  remote: string
  target: string
  routes: readonly string[]
  /** Of the last request of ours, */
  cseq: number
  /** and of the last one of theirs, if there was one. */
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

/** More requests than a call has after its state was written down: the far end wants a higher number than before (RFC 3261 §12.2.2). */
const unseen = 1_000

/** Requests and their responses that tell where the far end is now (RFC 3261 §12.2, RFC 3311, RFC 3515, RFC 6665). */
const refreshing = new Set(['INVITE', 'UPDATE', 'REFER', 'NOTIFY', 'SUBSCRIBE'])

/** Where to send requests from now on. */
const contactOf = (message: Request | Response): string | undefined => {
  const uri = message.contacts[0]?.uri
  if (uri === undefined) return undefined
  const scheme = leniently(() => parseUri(uri).scheme)
  return scheme === 'sip' || scheme === 'sips' ? uri : undefined
}

const isLoose = (route: string): boolean => parseUri(parseNameAddr(route).uri).params['lr'] !== undefined

const tagOf = (address: string): string => parseNameAddr(address).params['tag'] ?? ''

/** RFC 3261 §19.1.1: what a Request-URI must not have. */
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

  /** As the callee. Throws SipError(400) when the request does not say where to reach the caller. */
  static ofRequest(request: Request, localTag: string, localCseq: number): Dialog {
    // RFC 2543 needed no Contact: the caller is where its address says.
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

  /** As it was written down; what was sent since then is not known. */
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

  /** Where the next request goes: the first router, or the far end itself. */
  get hop(): SipUri {
    const route = this.#routes[0]
    this.#hop ??= parseUri(route === undefined ? this.#target : parseNameAddr(route).uri)
    return this.#hop
  }

  /** The next request. An ACK (and a request that answers a challenge anew) says its own number. */
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

  /** False for a request that is older than the last one (RFC 3261 §12.2.2). */
  takeInOrder(request: Request): boolean {
    if (this.#remoteCseq !== undefined && request.cseq.number < this.#remoteCseq) return false
    this.#remoteCseq = request.cseq.number
    return true
  }

  /** The Contact of a request that was accepted, or of a response that accepts. True when the remote target has changed. */
  refreshTarget(message: Request | Response): boolean {
    const target = refreshing.has(message.cseq.method) ? contactOf(message) : undefined
    if (target === undefined || target === this.#target) return false
    this.#target = target
    this.#hop = undefined
    return true
  }

  /** The route set is that of the 2xx (RFC 3261 §13.2.2.4). Throws SipError when it cannot be read. */
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
