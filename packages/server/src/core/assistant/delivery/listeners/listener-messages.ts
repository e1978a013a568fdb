import type { OutboundFailure, OutboundReply, OutboundRequest } from '#core/kernel/ports/outbound-http.ts'

/** A developer's machine that takes the events of a flow instead of its endpoint. */
export interface Listener {
  readonly id: string
  /** Where it forwards them to, as it says. */
  readonly to: string | undefined
  /** It is gone. */
  readonly over: boolean
  /** Like OutboundHttp.request, but the address does not matter. Rejects with OutboundFailure. */
  request(request: OutboundRequest): Promise<OutboundReply>
  /** A newer listener has taken its place. */
  replaced(): void
}

export interface ListenerName {
  accountId: string
  flowId: string
  id: string
}

/** Announces a listener, the newest of its flow as far as its process knows. */
export interface Here extends ListenerName {
  type: 'here'
  to?: string
  since: number
}

/** A request of another process for a listener. */
export interface Ask extends ListenerName {
  type: 'ask'
  flight: string
  request: Required<Pick<OutboundRequest, 'headers' | 'body'>> & Pick<OutboundRequest, 'deadlineMs' | 'maxBytes'>
}

/** What becomes of that request. */
export type NewsQuery = ListenerName & { flight: string } & (
    | { type: 'sign'; wired: boolean }
    | ({ type: 'reply'; body: string } & Pick<OutboundReply, 'status' | 'headers'>)
    /** `over`: the listener is gone. */
    | ({ type: 'failure'; over: boolean; status?: number } & Pick<OutboundFailure, 'kind' | 'message'>)
  )

/** What processes tell each other about listeners. An older process ignores types that it does not know. */
export type ListenerMessage =
  /** From a process that does not know any listeners yet. */
  { type: 'hello' } | Here | ({ type: 'gone' } & ListenerName) | Ask | NewsQuery

/** How often its process confirms that a request is still pending … */
export const heartbeatIntervalMs = 500
/** … and after how much silence the request fails as if no connection could be made. */
export const maxSilenceMs = 3_000
