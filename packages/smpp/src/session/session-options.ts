import type { BindFields, BindCommand, BindRequest, MessageRequest } from '../pdu/pdu.ts'
import type { Duplex } from 'node:stream'

export interface SmppClock {
  now(): number
  /** Runs it once; returns what cancels it. */
  after(ms: number, run: () => void): () => void
}

/** Our role on this connection: a program that sends messages (ESME), or the message centre (SMSC). */
export type SmppRole = 'esme' | 'smsc'

export interface BindReply {
  /** 0 accepts. After a rejection the connection is closed. */
  status: number
  systemId?: string
}

export interface MessageReply {
  status: number
  /** Only responses to submit_sm and data_sm have one. */
  messageId?: string
}

export interface SessionOptions {
  role: SmppRole
  socket: Duplex
  clock: SmppClock
  /**
   * A message came: submit_sm at an SMSC, deliver_sm at an ESME, data_sm at both. It is confirmed when this resolves; if it throws, the
   * far end gets a status that asks it to try again later, and `fault` the error.
   */
  message: (request: MessageRequest) => Promise<MessageReply>
  /** The far end wants to bind (SMSC only). */
  bind?: (request: BindRequest) => Promise<BindReply>
  /** What `message` or `bind` threw. */
  fault?: (error: unknown) => void
  /** How many of our requests may be without a response at a time (10). */
  window?: number
  /** How many more may wait for their turn (1000). */
  waiting?: number
  /** How many messages of the far end are worked on at a time (10), and how many more wait (100). Others are rejected for later. */
  concurrency?: number
  backlog?: number
  /** The most of our messages in a second (no limit). */
  perSecond?: number
  /** How long to wait for a response (10 s), and for the bind after the connection (SMSC: 10 s). */
  responseTimeoutMs?: number
  /** After how long without a PDU from the far end enquire_link is sent (30 s). */
  enquireMs?: number
}

export type BindOrder = Pick<BindFields, 'systemId' | 'password'> & Partial<BindFields> & { command?: BindCommand }
