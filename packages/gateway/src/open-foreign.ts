import { GatewayFailure, type ForeignSocket, type ForeignSocketObserver, type ForeignSocketWish, type GatewayWays } from './gateway.ts'

/** Resolves when the connection stands; `opened` is told at once, because a server may speak before whoever waits goes on. Rejects with GatewayFailure. */
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
