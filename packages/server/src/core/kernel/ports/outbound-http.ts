export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  /** Instead of a text. */
  bytes?: Uint8Array
  /** From the first connect to the last byte. */
  deadlineMs: number
  /** Decoded bytes of the answer that we are willing to hold. */
  maxBytes: number
  /** Aborted when the reply is no longer wanted: the connection is closed. */
  signal?: AbortSignal
  /** Called when the whole request was given to the network; at most once. */
  onWire?: () => void
  /** Called with what comes back, as it comes; the reply has all of it as well. */
  onBytes?: (bytes: Buffer, status: number) => void
}

export interface OutboundReply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Why nothing (usable) came back. `refused` means our own rules forbid the address; trying again is pointless. */
export class OutboundFailure extends Error {
  readonly kind: 'refused' | 'connect' | 'timeout' | 'too_large' | 'broken' | 'aborted'
  /** Of an answer that was too large to be read. */
  readonly status: number | undefined

  constructor(kind: OutboundFailure['kind'], message: string, status?: number) {
    super(message)
    this.name = 'OutboundFailure'
    this.kind = kind
    this.status = status
  }
}

/** The one door through which we call addresses that customers or peers gave us. Never follows redirects. */
export interface OutboundHttp {
  request(request: OutboundRequest): Promise<OutboundReply>
  close(): Promise<void>
}
