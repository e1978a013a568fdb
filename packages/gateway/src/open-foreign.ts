import { GatewayFailure, type ForeignSocket, type ForeignSocketObserver, type ForeignSocketWish, type GatewayWays } from './gateway.ts'

/** Resolves when the connection stands, after `opened`: a server may speak before anybody gets to see that. Rejects with GatewayFailure. */
export const openForeign = (
  ways: Pick<GatewayWays, 'connect'>,
  wish: ForeignSocketWish,
  observer: Omit<ForeignSocketObserver, 'opened'> & { opened: (socket: ForeignSocket) => void },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = ways.connect(wish, {
      ...observer,
      opened: () => {
        observer.opened(socket)
        resolve()
      },
      closed: (end) => (end.opened ? observer.closed(end) : reject(new GatewayFailure(end))),
    })
  })
