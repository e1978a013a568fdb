import ipaddr from 'ipaddr.js'

/** What one customer of an access provider has: an IPv4 address, or the 2^64 addresses of an IPv6 network. Limits count these. */
export const addressBlock = (address: string): string => {
  if (!address.includes(':')) return address
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')}/64`
}
