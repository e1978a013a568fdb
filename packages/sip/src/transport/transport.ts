export type TransportKind = 'udp' | 'tcp' | 'tls' | 'ws' | 'wss'

/** A path to a peer: source or destination of a message. */
export interface Flow {
  readonly kind: TransportKind
  /** IP address without brackets. */
  readonly address: string
  readonly port: number
  /** The connection it came over, if the transport has connections. Without it a connection to this address is found or opened. */
  readonly connection?: number
  /** TLS: the required name of the certificate. */
  readonly serverName?: string
}

/** Interface of the SIP library to sockets. Never blocks. */
export interface Transport {
  /** Sends one complete message. `failed` is called at most once, asynchronously, if it certainly was not sent. */
  send(message: Uint8Array, to: Flow, failed: (error: Error) => void): void
  /** Our address for that peer, for Via and Contact. */
  localAddress(kind: TransportKind, towards: string): { host: string; port: number }
}

export const isReliable = (kind: TransportKind): boolean => kind !== 'udp'

export interface SipClock {
  now(): number
  /** Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

/** Pending while it is unknown whether we may send. */
type Hesitation = () => Promise<unknown> | undefined

/**
 * Drops outgoing datagrams while ownership is uncertain: live transactions retransmit them (RFC 3261 §17), abandoned ones do not. Messages
 * over a connection wait.
 */
export const hesitantTransport = (transport: Transport, hesitates: Hesitation): Transport => ({
  localAddress: (kind, address) => transport.localAddress(kind, address),
  send(bytes, to, failed) {
    const doubt = hesitates()
    if (!doubt) transport.send(bytes, to, failed)
    else if (isReliable(to.kind)) void doubt.then(() => transport.send(bytes, to, failed))
  },
})
