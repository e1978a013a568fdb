import { buildRequest } from '../message/build.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Dialog } from '../dialog/dialog.ts'
import { viaTowards } from '../request/stack.ts'
import type { Stack } from '../request/stack.ts'
import { newBranch } from '../transaction/tokens.ts'
import type { Flow } from '../transport/transport.ts'

export interface AckParts {
  /** That of the INVITE. */
  cseq: number
  /** The INVITE's answer to a challenge goes along (RFC 3261 §22.1). */
  credentials: HeaderLines
  /** Our answer to an offer in the 2xx. */
  sdp: string | undefined
  flow: Flow | undefined
}

/** The ACK of a 2xx: no transaction, sent again whenever the 2xx comes again (RFC 3261 §13.2.2.4). */
export class Acknowledgement {
  readonly #stack: Stack
  readonly #dialog: Dialog
  readonly #deps: AckParts
  #sent: { bytes: Uint8Array; flow: Flow } | undefined

  constructor(stack: Stack, dialog: Dialog, deps: AckParts) {
    this.#stack = stack
    this.#dialog = dialog
    this.#deps = deps
  }

  async send(): Promise<void> {
    this.#sent ??= await this.#prepare()
    if (this.#sent) this.#stack.transport.send(this.#sent.bytes, this.#sent.flow, () => {})
  }

  async #prepare(): Promise<{ bytes: Uint8Array; flow: Flow } | undefined> {
    const flow = this.#deps.flow ?? (await this.#stack.resolve(this.#dialog.hop).catch(() => []))[0]
    return flow ? { bytes: this.#build(flow), flow } : undefined
  }

  #build(flow: Flow): Uint8Array {
    const { cseq, credentials, sdp } = this.#deps
    const request = this.#dialog.request('ACK', cseq)
    const headers: HeaderLines = [
      ['Via', viaTowards(this.#stack, flow, newBranch())],
      ...request.routes.map((route) => ['Route', route] as const),
      ['Max-Forwards', '70'],
      ['From', request.from],
      ['To', request.to],
      ['Call-ID', request.callId],
      ['CSeq', `${cseq} ACK`],
      ...credentials,
    ]
    return buildRequest('ACK', request.uri, headers, sdp === undefined ? undefined : { type: 'application/sdp', content: sdp })
  }
}
