import ipaddr from 'ipaddr.js'

/** Block that an access provider assigns to one customer: an IPv4 address or an IPv6 /64. Limits count blocks. */
export const addressBlock = (address: string): string => {
  if (!address.includes(':')) return address
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')}/64`
}
