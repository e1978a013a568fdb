/** Scheme, host and port, to which stored secrets are bound. A WebSocket has the origin of its handshake. */
const originOf = (address: string): string => {
  const url = address.trim().replace(/^ws/i, 'http')
  return URL.canParse(url) ? new URL(url).origin : url
}

/** Whether an address points to a different origin than all others. */
export const isOtherOrigin = (address: string, others: readonly string[]): boolean => !others.map(originOf).includes(originOf(address))
