/** Names of a machine for itself, and the address that means all of them: no phone elsewhere gets there. */
const onlyItself = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1?\]?|0\.0\.0\.0)(:\d+)?$/

export const isLoopbackOnly = (server: string): boolean => onlyItself.test(server)

/**
 * The address as a phone beside this browser reaches it: under the name by which the browser itself has found the service, unless that is
 * a name of the machine for itself.
 */
export const addressForPhones = (given: string, here: Pick<Location, 'host' | 'origin'>): string => {
  const { pathname, search } = new URL(given)
  return isLoopbackOnly(here.host) ? given : `${here.origin}${pathname}${search}`
}
