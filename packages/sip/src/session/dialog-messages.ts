import { authorizer } from '../digest/authorize.ts'
import type { Authorizer } from '../digest/authorize.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { respond } from '../message/build.ts'
import type { Body, HeaderLines } from '../message/build.ts'
import type { Response } from '../message/message.ts'
import { Sending } from '../request/sending.ts'
import type { SendingEvents } from '../request/sending.ts'
import { allow, contactTowards, supported } from '../request/stack.ts'
import type { Stack } from '../request/stack.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import { Acknowledgement } from './acknowledgement.ts'
import type { FarEnd } from './far-end.ts'

/** A final response, or what stands for one when there is none: 408, 503, 481. */
export interface RequestOutcome {
  status: number
  response: Response | undefined
}

export interface RequestParts {
  headers?: HeaderLines | undefined
  body?: Body | undefined
  /** With our Contact: the request says where we are. */
  contact?: boolean
}

export interface ResponseParts {
  headers?: HeaderLines | undefined
  sdp?: string | undefined
  /** With our Contact, and what we can do. */
  contact?: boolean
}

interface Sender {
  localTag: string
  contactUser: string
  digest?: DigestClient | undefined
}

export const sdpBody = (sdp: string | undefined): Body | undefined =>
  sdp === undefined ? undefined : { type: 'application/sdp', content: sdp }

export const reasonHeader = (reason: string | undefined): HeaderLines => (reason === undefined ? [] : [['Reason', reason]])

/** Requests and responses of ours inside the dialogs of a session. */
export class DialogMessages {
  readonly #stack: Stack
  readonly #sender: Sender
  readonly #farEnd: FarEnd
  /** Requests without a final response, and who waits for it. */
  readonly #open = new Map<Sending, SendingEvents>()
  #silent = false

  constructor(stack: Stack, sender: Sender, farEnd: FarEnd) {
    this.#stack = stack
    this.#sender = sender
    this.#farEnd = farEnd
  }

  /** A request until its final response; 481 where there is no dialog. */
  send(method: string, deps: RequestParts, dialog: Dialog | undefined): Promise<RequestOutcome> {
    if (!dialog || this.#silent) return Promise.resolve({ status: 481, response: undefined })
    return new Promise((resolve) => {
      const events: SendingEvents = {
        response: (response, from) => {
          this.#farEnd.locate(response, from)
          if (response.status >= 200) resolve({ status: response.status, response })
        },
        failed: (status) => resolve({ status, response: undefined }),
      }
      this.prepare(method, deps, dialog, events).start()
    })
  }

  /** A request that is not sent yet. */
  prepare(method: string, deps: RequestParts, dialog: Dialog, events: SendingEvents): Sending {
    const headers = deps.headers ?? []
    const contactUser = deps.contact ? this.#sender.contactUser : undefined
    const request = { ...dialog.request(method), headers, body: deps.body, contactUser }
    const renumber = (): number => dialog.request(method).cseq
    const options = { hop: dialog.hop, flow: this.#farEnd.pinned, failover: false, authorizer: this.#authorizer(), renumber }
    const sending = new Sending(this.#stack, request, options, {
      response: (response, from) => {
        if (response.status >= 200) this.#open.delete(sending)
        events.response(response, from)
      },
      failed: (status) => {
        this.#open.delete(sending)
        events.failed(status)
      },
    })
    this.#open.set(sending, events)
    return sending
  }

  /** Another process speaks in the dialogs from now on: what is under way is given up, and nothing is answered. */
  fallSilent(): void {
    this.#silent = true
    for (const [sending, events] of this.#open) {
      sending.abandon()
      events.failed(503)
    }
    this.#open.clear()
  }

  /** The ACK of a 2xx to an INVITE that was sent with these credentials. */
  acknowledge(dialog: Dialog, response: Response, credentials: HeaderLines, sdp: string | undefined): Acknowledgement {
    return new Acknowledgement(this.#stack, dialog, { cseq: response.cseq.number, credentials, sdp, flow: this.#farEnd.pinned })
  }

  /** Returns what was sent, for responses that have to be sent again. */
  reply(server: ServerTransaction, status: number, deps: ResponseParts = {}): Uint8Array {
    const headers: (readonly [string, string])[] = []
    if (deps.contact) {
      headers.push(['Contact', contactTowards(this.#stack, server.flow, this.#sender.contactUser, server.request.uri.startsWith('sips:'))])
      headers.push(['Allow', allow], ['Supported', supported])
    }
    if (this.#stack.product !== '') headers.push(['Server', this.#stack.product])
    if (deps.headers) headers.push(...deps.headers)
    const reply = { toTag: this.#sender.localTag, headers, body: sdpBody(deps.sdp), source: server.flow }
    const bytes = respond(server.request, status, reply)
    if (this.#silent) server.terminate()
    else server.respond(status, bytes)
    return bytes
  }

  #authorizer(): Authorizer | undefined {
    const { digest } = this.#sender
    const { inviteAddress } = this.#farEnd
    return digest && inviteAddress !== undefined ? authorizer(digest, inviteAddress) : undefined
  }
}
