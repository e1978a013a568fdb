export type TransportKind = 'udp' | 'tcp' | 'tls' | 'ws' | 'wss'

/** A way to a peer: where a message came from or goes to. */
export interface Flow {
  readonly kind: TransportKind
  /** IP address without brackets. */
  readonly address: string
  readonly port: number
  /** The connection it came over, if the transport has connections. Without it one to this address is found or opened. */
  readonly connection?: number
  /** TLS: the name that the certificate must have. */
  readonly serverName?: string
}

/** What the SIP library needs from sockets. It never waits for one. */
export interface Transport {
  /** Hands over one whole message. `failed` is called at most once, later, when it surely did not go out. */
  send(message: Uint8Array, to: Flow, failed: (error: Error) => void): void
  /** How a peer there reaches us, for Via and Contact. */
  localAddress(kind: TransportKind, towards: string): { host: string; port: number }
}

export const isReliable = (kind: TransportKind): boolean => kind !== 'udp'

export interface SipClock {
  now(): number
  /** Returns what cancels it. */
  after(ms: number, run: () => void): () => void
}
