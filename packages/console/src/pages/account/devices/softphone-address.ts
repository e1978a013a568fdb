/** Loopback names and the wildcard address: unreachable for a phone elsewhere. */
const onlyItself = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1?\]?|0\.0\.0\.0)(:\d+)?$/

export const isLoopbackOnly = (server: string): boolean => onlyItself.test(server)

/** The address for a phone near this browser: the host name by which the browser found the service, unless that is a loopback name. */
export const addressForPhones = (given: string, here: Pick<Location, 'host' | 'origin'>): string => {
  const { pathname, search } = new URL(given)
  return isLoopbackOnly(here.host) ? given : `${here.origin}${pathname}${search}`
}
