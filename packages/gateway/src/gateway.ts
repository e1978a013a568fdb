import type { Answer } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { endpointProtocols } from '@offhook/contract/v3/flow-values.ts'
import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'

/** Every protocol but our own. */
export type ForeignProtocol = Exclude<(typeof endpointProtocols)[number], 'offhook'>

/** Settings of the flow that a gateway gets for a call. */
export interface GatewaySettings {
  protocol: ForeignProtocol
  /** Address of the customer's server: ws or wss, or http or https, depending on the protocol. */
  url: string
  /** BCP 47. */
  language: string
  /** API key of the flow: only for `url` and paths below it. */
  apiKey?: string
  /** Newest secret of the flow, for signatures. */
  secret?: string
  /** Allowed transfer targets of the flow. */
  transferTargets: readonly string[]
}

/** Clock of a gateway. */
export interface GatewayClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Returns a function that cancels the task. */
  after(ms: number, task: () => void): () => void
}

export interface ForeignSocketWish {
  url: string
  headers?: Record<string, string>
  /** Subprotocol. */
  subprotocol?: string
  /** Which messages the timeline keeps; default: all. Audio is never kept. */
  keeps?: (message: string) => boolean
}

/** How the connection to the customer's server ended, or why it was never opened. */
export interface ForeignEnd {
  opened: boolean
  /** HTTP status in place of the upgrade. */
  status?: number
  /** The address is forbidden. */
  refused?: boolean
  /** The other side closed it properly: it did not break. */
  left?: true
  message: string
}

export interface ForeignSocketObserver {
  opened(): void
  said(message: string): void
  saidBytes?(bytes: Buffer): void
  /** Called once, as the last callback. Not called if we closed it. */
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
  /** The answer in chunks, if it is successful. */
  onBytes?: (bytes: Buffer) => void
}

export interface ForeignReply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** All outbound connections of a translator, so that its host enforces the rules for them. */
export interface GatewayWays {
  clock: GatewayClock
  connect(input: ForeignSocketWish, observer: ForeignSocketObserver): ForeignSocket
  /** Rejects if there is no usable reply. */
  request(request: ForeignRequest): Promise<ForeignReply>
}

/** The service from a translator's view. */
export interface ServiceSide {
  /** Without a turn it applies to the newest one. */
  act(action: Answer): void
  /** Audio for the caller. */
  play(bytes: Buffer): void
  /** Reports a translation problem to the timeline. */
  problem(message: string): void
  /** There is no answer to the last event: the caller hears the flow's fallback. */
  failed(why: string): void
  /** The customer's server is unreachable. `final`: a new connection would not help. */
  lost(end: Omit<ForeignEnd, 'opened'> & { final?: boolean }): void
}

/** Translates one call for a customer's server. */
export interface Translator {
  /** Called sequentially. Resolves when the event has been delivered, rejects with GatewayFailure if it cannot be. */
  take(event: LiveEvent): Promise<void> | void
  /** Caller audio. */
  takeBytes?(bytes: Buffer): void
  /** The call has ended or continues elsewhere. */
  close(): void
}

export interface TranslatorParts {
  settings: GatewaySettings
  ways: GatewayWays
  service: ServiceSide
}

/** The customer's server is unreachable or its answer unusable. The message is for the customer. */
export class GatewayFailure extends Error {
  readonly end: ForeignEnd & { final?: boolean }

  constructor(end: ForeignEnd & { final?: boolean }) {
    super(end.message)
    this.name = 'GatewayFailure'
    this.end = end
  }
}

/** Limits per message: audio and texts are long strings, the rest is small. */
const limits = { maxLength: 128 * 1024, maxValues: 5_000, longString: 1_000 }

/** Parses a message of a customer's server; undefined if it is not JSON or exceeds the limits. */
export const readJson = (text: string): unknown => {
  try {
    return parseBoundedJson(text, limits)
  } catch {
    return undefined
  }
}

/**
 * Resolves when the connection is open; calls `opened` synchronously, because a server may send before the awaiting code resumes. Rejects
 * with GatewayFailure.
 */
export const openForeign = (
  ways: Pick<GatewayWays, 'connect'>,
  input: ForeignSocketWish,
  observer: Omit<ForeignSocketObserver, 'opened'> & { opened?: (socket: ForeignSocket) => void },
): Promise<ForeignSocket> =>
  new Promise((resolve, reject) => {
    const socket = ways.connect(input, {
      ...observer,
      opened: () => {
        observer.opened?.(socket)
        resolve(socket)
      },
      closed: (end) => (end.opened ? observer.closed(end) : reject(new GatewayFailure(end))),
    })
  })
