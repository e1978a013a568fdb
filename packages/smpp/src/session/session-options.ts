import type { BindFields, BindCommand, BindRequest, MessageRequest } from '../pdu/pdu.ts'
import type { Duplex } from 'node:stream'

export interface SmppClock {
  now(): number
  /** Runs it once; returns a function that cancels it. */
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
   * A message arrived: submit_sm at an SMSC, deliver_sm at an ESME, data_sm at both. Confirmed when this resolves; if it throws, the far
   * end gets a status for a retry later, and `fault` the error.
   */
  message: (request: MessageRequest) => Promise<MessageReply>
  /** A bind request of the far end (SMSC only). */
  bind?: (request: BindRequest) => Promise<BindReply>
  /** Errors thrown by `message` or `bind`. */
  fault?: (error: unknown) => void
  /** Maximum unanswered requests of ours (10). */
  window?: number
  /** Maximum queued requests (1000). */
  waiting?: number
  /** Messages of the far end processed concurrently (10), and queued (100). Others are rejected for later. */
  concurrency?: number
  backlog?: number
  /** Maximum messages per second (no limit). */
  perSecond?: number
  /** Milliseconds to wait for a response (10 s), and for the bind after the connection (SMSC: 10 s). */
  responseTimeoutMs?: number
  /** Milliseconds without a PDU from the far end before enquire_link is sent (30 s). */
  enquireMs?: number
}

export type BindOrder = Pick<BindFields, 'systemId' | 'password'> & Partial<BindFields> & { command?: BindCommand }
