/** A WebSocket at the address of this page, whatever name the service has for itself: the page may ask no other host. */
export const ownSocket = (path: string): WebSocket =>
  new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`)

/** The same for an address that the service gave. */
export const ownSocketAt = (url: string): WebSocket => {
  const { pathname, search } = new URL(url)
  return ownSocket(`${pathname}${search}`)
}
