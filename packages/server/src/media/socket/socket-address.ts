import { isIP, isIPv4 } from 'node:net'
import type { SocketAddress } from './socket.ts'

const familyV4 = 2
const familyV6 = 10
const sizeV4 = 16
const sizeV6 = 28

/** `struct sockaddr_in` or `sockaddr_in6` of Linux. A socket of IPv6 reaches IPv4 by mapped addresses. */
export const encodeSocketAddress = ({ address, port }: SocketAddress, v6: boolean): Buffer => {
  const bytes = Buffer.alloc(v6 ? sizeV6 : sizeV4)
  bytes.writeUInt16LE(v6 ? familyV6 : familyV4, 0)
  bytes.writeUInt16BE(port, 2)
  if (v6) bytes.set(bytesOfV6(isIPv4(address) ? `::ffff:${address}` : address), 8)
  else bytes.set(bytesOfV4(address), 4)
  return bytes
}

export const decodeSocketAddress = (bytes: Buffer): SocketAddress => {
  const port = bytes.readUInt16BE(2)
  if (bytes.readUInt16LE(0) === familyV4) return { address: bytes.subarray(4, 8).join('.'), port }
  return { address: textOfV6(bytes.subarray(8, 24)), port }
}

/** The same address is always the same text: mapped IPv4 as IPv4, IPv6 in its eight groups. */
export const canonicalAddress = (address: string): string => {
  const plain = address.replace(/%.*$/, '')
  return isIPv4(plain) ? plain : textOfV6(bytesOfV6(plain))
}

/** Where a socket of ours that is bound to `address` can be reached from this machine. */
export const localAddress = (address: string): string => {
  if (/^[0.]*$/.test(address)) return '127.0.0.1'
  return /^[0:]*$/.test(address) ? '::1' : address
}

/** Whether a socket that is bound to `own` can send to `address`. Bound to every address of IPv6 it reaches IPv4, too. */
export const reachesFrom = (own: string, address: string): boolean => {
  const wanted = isIP(address)
  return wanted === 0 || wanted === isIP(own) || /^[0:]*$/.test(own)
}

const bytesOfV4 = (address: string): number[] => address.split('.').map(Number)

const bytesOfV6 = (address: string): Uint8Array => {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]))
}

const groupsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)]
        const [a = 0, b = 0, c = 0, d = 0] = bytesOfV4(group)
        return [(a << 8) | b, (c << 8) | d]
      })

const textOfV6 = (bytes: Uint8Array): string => {
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (mapped) return bytes.subarray(12).join('.')
  return Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16)).join(':')
}
