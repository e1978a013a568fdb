import { GatewayFailure, type ForeignSocket, type ForeignSocketObserver, type ForeignSocketWish, type GatewayWays } from './gateway.ts'

/** Resolves when the connection stands; rejects with GatewayFailure when it does not come about. What is said meanwhile is not lost. */
export const openForeign = (
  ways: Pick<GatewayWays, 'connect'>,
  wish: ForeignSocketWish,
  observer: Omit<ForeignSocketObserver, 'opened'>,
): Promise<ForeignSocket> =>
  new Promise((resolve, reject) => {
    const socket = ways.connect(wish, {
      ...observer,
      opened: () => resolve(socket),
      closed: (end) => (end.opened ? observer.closed(end) : reject(new GatewayFailure(end))),
    })
  })
