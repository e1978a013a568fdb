import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound-http.ts'
import { noAnswerText } from './pending-requests.ts'
import { heartbeatIntervalMs, type Ask, type NewsQuery, type Listener } from './listener-messages.ts'

export interface PeerRequestDeps {
  clock: Clock
  /** To the process that asked. */
  say: (news: NewsQuery) => void
}

/** Sends a request of another process to a listener that is connected here, and confirms meanwhile that it is pending. */
export const requestForPeer = async ({ clock, say }: PeerRequestDeps, listener: Listener | undefined, ask: Ask): Promise<void> => {
  const { accountId, flowId, id, flight, request } = ask
  const name = { accountId, flowId, id, flight }
  let cancel = (): void => {}
  const sign = (): void => {
    say({ ...name, type: 'sign', wired: false })
    cancel = clock.after(heartbeatIntervalMs, sign)
  }
  sign()
  try {
    if (!listener) throw noAnswerText()
    const onWire = (): void => say({ ...name, type: 'sign', wired: true })
    const { status, headers, body } = await listener.request({ ...request, method: 'POST', url: `listener:${id}`, onWire })
    say({ ...name, type: 'reply', status, headers, body: body.toString('base64') })
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const { kind, message, status } = error
    const ended = listener?.over ?? true
    say({ ...name, type: 'failure', kind, message, ...(status !== undefined && { status }), over: ended })
  } finally {
    cancel()
  }
}
