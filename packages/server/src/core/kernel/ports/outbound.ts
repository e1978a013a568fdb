import type { endpointProtocols } from '@offhook/contract/v3/flow-values.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
  /** Binary body, instead of `body`. */
  bytes?: Uint8Array
  /** Milliseconds from the first connect to the last byte. */
  deadlineMs: number
  /** Maximum size of the decoded reply in bytes. */
  maxBytes: number
  /** Closes the connection when the reply is no longer needed. */
  signal?: AbortSignal
  /** Called at most once, when the whole request was written to the network. */
  onWire?: () => void
  /** Called with each chunk as it arrives; the reply contains all of them as well. */
  onBytes?: (bytes: Buffer, status: number) => void
}

export interface OutboundReply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Reason for a missing or unusable reply. `refused`: our own rules forbid the address; retrying is pointless. */
export class OutboundFailure extends Error {
  readonly kind: 'refused' | 'connect' | 'timeout' | 'too_large' | 'broken' | 'aborted'
  /** Status of a reply that was too large to read. */
  readonly status: number | undefined

  constructor(kind: OutboundFailure['kind'], message: string, status?: number) {
    super(message)
    this.name = 'OutboundFailure'
    this.kind = kind
    this.status = status
  }
}

/** The only way to call addresses that customers or peers gave us. Never follows redirects. */
export interface OutboundHttp {
  request(request: OutboundRequest): Promise<OutboundReply>
  close(): Promise<void>
}

/** Sends messages to syslog servers at addresses that customers gave us. */
export interface SyslogSender {
  /** `url`: `tcp://host:port` or `tls://host:port`. Resolves when the server has closed the connection after the last message. */
  send(url: string, messages: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface SocketRequest {
  /** ws or wss URL. */
  url: string
  headers: Record<string, string>
  /** Milliseconds from the first connect to the answer to the upgrade. */
  handshakeMs: number
  /** Maximum size of one message in bytes. */
  maxBytes: number
  subprotocol?: string
  /** For endpoints with another system's protocol: the connection goes to a gateway, which talks to the endpoint. */
  gateway?: GatewayInput
}

/** Flow settings that a gateway needs. */
export interface GatewayInput {
  protocol: Exclude<(typeof endpointProtocols)[number], 'offhook'>
  language: string
  apiKey?: string
  /** Newest valid secret. */
  secret?: string
  transferTargets: readonly string[]
}

/** Result of a connection or connection attempt. Contains no details of our network. */
export interface SocketEnd {
  opened: boolean
  /** HTTP status received instead of the upgrade. */
  status?: number
  /** Our own rules forbid the address: retrying is pointless. */
  refused?: boolean
  /** The other side closed with a handshake; the connection did not break. */
  left?: true
  /** Code of that handshake. */
  code?: number
  message: string
}

export interface SocketObserver {
  opened(): void
  /** A text message. */
  said(text: Buffer): void
  /** Binary message. */
  saidBytes(bytes: Buffer): void
  pong(data: string): void
  /** Called once, as the last event. */
  closed(end: SocketEnd): void
}

export interface OutboundSocket {
  send(text: string): void
  /** Audio: frames that the other side is too slow for are dropped, not queued. */
  sendBytes(bytes: Buffer): void
  ping(data: string): void
  /** Stops reading, which applies back-pressure. */
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

export interface Mail {
  to: string
  subject: string
  text: string
  attachment?: Attachment
}

export interface Attachment {
  /** Letters, digits, dots and dashes. */
  name: string
  type: string
  content: Uint8Array
}

export interface Mailer {
  /** Resolves when the mail has been handed over; rejects if it should be retried. */
  send(mail: Mail): Promise<void>
}

/** Push endpoint of a browser and the keys to encrypt for it (RFC 8291). */
export interface PushAddress {
  endpoint: string
  /** Base64url. */
  p256dh: string
  auth: string
}

export interface PushMessage {
  text: string
  /** Time to live in seconds. */
  seconds: number
  /** An undelivered message of the same topic is replaced. */
  topic: string
}

/** Web push messages through the browser vendors' services. */
export interface PushMessages {
  /** VAPID public key by which browsers identify the sender (RFC 8292); base64url. */
  key(): Promise<string>
  /** Checks that a push address reported by a browser may be used. */
  accepts(address: PushAddress): boolean
  /** `gone`: the subscription has expired. */
  send(address: PushAddress, message: PushMessage): Promise<'sent' | 'gone' | 'failed'>
}
