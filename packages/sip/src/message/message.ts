import type { NameAddr } from '../grammar/name-addr.ts'
import type { SipUri } from '../grammar/uri.ts'
import type { Via } from '../grammar/via.ts'

/** What requests and responses share. Header names are asked for in lower case and in their long form. */
export interface Headers {
  readonly callId: string
  readonly from: NameAddr
  readonly to: NameAddr
  readonly fromTag: string | undefined
  readonly toTag: string | undefined
  readonly cseq: { readonly number: number; readonly method: string }
  /** The topmost. */
  readonly via: Via
  readonly contacts: readonly NameAddr[]
  readonly body: Uint8Array
  /** The first value. */
  header(name: string): string | undefined
  /** All lines, as written, unfolded. */
  lines(name: string): readonly string[]
  /** Split at commas outside quotes and angle brackets. */
  list(name: string): string[]
}

export interface Request extends Headers {
  readonly kind: 'request'
  readonly method: string
  /** As written. */
  readonly uri: string
  /** Throws SipError(416) for a scheme we do not speak, and 400 for nonsense. */
  readonly target: SipUri
}

export interface Response extends Headers {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
}

export type Message = Request | Response
