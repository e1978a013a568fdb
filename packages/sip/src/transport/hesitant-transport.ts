import { isReliable } from './transport.ts'
import type { Transport } from './transport.ts'

/** Pending while it is not known whether we may speak. */
export type Hesitation = () => Promise<unknown> | undefined

/**
 * Says nothing while in doubt. Datagrams are dropped: whoever still wants to send them then sends them again (RFC 3261 §17), and whoever was
 * told to be silent does not. What goes over a connection waits.
 */
export const hesitantTransport = (transport: Transport, hesitates: Hesitation): Transport => ({
  localAddress: (kind, address) => transport.localAddress(kind, address),
  send(bytes, to, failed) {
    const doubt = hesitates()
    if (!doubt) transport.send(bytes, to, failed)
    else if (isReliable(to.kind)) void doubt.then(() => transport.send(bytes, to, failed))
  },
})
