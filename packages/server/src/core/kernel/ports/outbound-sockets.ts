import type { endpointProtocols } from '@offhook/contract/v3/flow-values.ts'

export interface SocketRequest {
  /** ws or wss. */
  url: string
  headers: Record<string, string>
  /** From the first connect to the answer to the upgrade. */
  handshakeMs: number
  /** Of one message. */
  maxBytes: number
  subprotocol?: string
  /** The endpoint speaks the language of another system: the connection leads to a gateway, which speaks with the endpoint. */
  gateway?: GatewayInput
}

/** What a gateway has to know of the flow. */
export interface GatewayInput {
  protocol: Exclude<(typeof endpointProtocols)[number], 'offhook'>
  language: string
  apiKey?: string
  /** The newest that is in force. */
  secret?: string
  transferTargets: readonly string[]
}

/** How a connection ended, or why it never began. Says nothing of our network. */
export interface SocketEnd {
  opened: boolean
  /** What was answered instead of the upgrade. */
  status?: number
  /** Our own rules forbid the address: trying again is pointless. */
  refused?: boolean
  /** The other side said goodbye: it did not break. */
  left?: true
  message: string
}

export interface SocketObserver {
  opened(): void
  /** A text message. */
  said(text: Buffer): void
  /** A message that is not text. */
  saidBytes(bytes: Buffer): void
  pong(data: string): void
  /** Once, and nothing after it. */
  closed(end: SocketEnd): void
}

export interface OutboundSocket {
  send(text: string): void
  /** Sound: what the other side is too slow for is left out, and not kept. */
  sendBytes(bytes: Buffer): void
  ping(data: string): void
  /** Reading stops, so that the other side has to wait. */
  pause(): void
  resume(): void
  /** Starts the closing handshake. */
  close(): void
  /** Closes the connection without a handshake. */
  destroy(): void
}

/** Opens WebSockets to addresses that customers gave us, by the same rules as outbound requests. */
export interface OutboundSockets {
  connect(input: SocketRequest, observer: SocketObserver): OutboundSocket
  close(): Promise<void>
}
