import type { Answer } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { endpointProtocols } from '@offhook/contract/v3/flow-values.ts'

/** Every language but our own. */
export type ForeignProtocol = Exclude<(typeof endpointProtocols)[number], 'offhook'>

/** What a gateway is told of the flow whose call it is. */
export interface GatewaySettings {
  protocol: ForeignProtocol
  /** Where the customer's server is: ws or wss, or http or https, as the protocol has it. */
  url: string
  /** BCP 47. */
  language: string
  /** Of the flow: only for `url` and what is below it. */
  apiKey?: string
  /** Of the flow, the newest: for signatures. */
  secret?: string
  /** Where the flow may transfer to. */
  transferTargets: readonly string[]
}

/** Time, as a gateway is given it. */
export interface GatewayClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Gives what cancels it. */
  after(ms: number, task: () => void): () => void
}

export interface ForeignSocketWish {
  url: string
  headers?: Record<string, string>
  /** Subprotocol. */
  subprotocol?: string
  /** Which messages are kept in the timeline; missing: all. Sound is not. */
  keeps?: (message: string) => boolean
}

/** How the connection to the customer's server ended, or why it never began. */
export interface ForeignEnd {
  opened: boolean
  /** What was answered instead of the upgrade. */
  status?: number
  /** The address is forbidden. */
  refused?: boolean
  /** The other side said goodbye: it did not break. */
  left?: true
  message: string
}

export interface ForeignSocketObserver {
  opened(): void
  said(message: string): void
  saidBytes?(bytes: Buffer): void
  /** Once, and nothing after it. Not when we closed it. */
  closed(end: ForeignEnd): void
}

export interface ForeignSocket {
  send(message: string): void
  sendBytes(bytes: Buffer): void
  close(): void
}

export interface ForeignRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  deadlineMs: number
  signal?: AbortSignal
  /** The answer as it comes, if it is a good one. */
  onBytes?: (bytes: Buffer) => void
}

export interface ForeignReply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** The only ways out of a translator: whoever runs it keeps to the rules of outbound connections. */
export interface GatewayWays {
  clock: GatewayClock
  connect(input: ForeignSocketWish, observer: ForeignSocketObserver): ForeignSocket
  /** Rejects when nothing usable came back. */
  request(request: ForeignRequest): Promise<ForeignReply>
}

/** The service, as a translator sees it. */
export interface ServiceSide {
  /** Without a turn it is for the newest. */
  act(action: Answer): void
  /** Sound for the caller. */
  play(bytes: Buffer): void
  /** Something could not be translated: for the timeline. */
  problem(message: string): void
  /** There is no answer to what was asked last: the caller hears what the flow has for it. */
  failed(why: string): void
  /** The customer's server cannot be reached. `final`: a new connection would not help. */
  lost(end: Omit<ForeignEnd, 'opened'> & { final?: boolean }): void
}

/** Speaks for one call with a customer's server. */
export interface Translator {
  /** One event after the other. Resolves when it has been handed over, rejects with GatewayFailure when it cannot be. */
  take(event: LiveEvent): Promise<void> | void
  /** Sound of the caller. */
  takeBytes?(bytes: Buffer): void
  /** The call is over, or goes on elsewhere. */
  close(): void
}

export interface TranslatorParts {
  settings: GatewaySettings
  ways: GatewayWays
  service: ServiceSide
}

/** The customer's server cannot be reached, or what it says cannot be used. For the customer's eyes. */
export class GatewayFailure extends Error {
  readonly end: ForeignEnd & { final?: boolean }

  constructor(end: ForeignEnd & { final?: boolean }) {
    super(end.message)
    this.name = 'GatewayFailure'
    this.end = end
  }
}
