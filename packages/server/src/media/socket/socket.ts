import { isIP, isIPv4 } from 'node:net'

export interface SocketAddress {
  address: string
  port: number
}

/**
 * A packet arrived. The bytes are valid only during the call: the next packet is read into the same memory. `from` is missing once the
 * socket is connected: the kernel then drops other sources.
 */
export type Receive = (bytes: Uint8Array, length: number, from: SocketAddress | undefined, nowMs: number) => void

/** One UDP port. Errors of single packets (port unreachable, no route) are ignored: the next packet may get through. */
export interface UdpSocket {
  readonly port: number
  /** If set, it belongs to the process and outlives the thread that opened it. */
  readonly descriptor: number | undefined
  /** Sends to this address, and receives only from it. */
  connect(to: SocketAddress): void
  /** Sends to this address, and receives from any. */
  aim(to: SocketAddress): void
  /** The bytes may be reused immediately. */
  send(bytes: Uint8Array, length: number): void
  close(): void
  /** Like close, but leaves a descriptor open: the main thread closes it. */
  release(): void
}

/** Takes packets of connected sockets before their receivers. Each socket has a row, from 1 on. */
export interface Shortcut {
  /** Returns the row of the socket that has to send the packet, whose bytes are changed; 0: dropped; -1: not taken. */
  takes(row: number, bytes: Uint8Array, length: number, nowMs: number): number
  /** Sends by the socket of this row, if that cannot be done directly. */
  transmit(row: number, bytes: Uint8Array, length: number): void
}

/** UDP access of a worker. */
export interface Udp {
  readonly kind: UdpKind
  /**
   * Throws PortTaken. The port must not be 0: it would get lost when the socket is aimed again. `row`: row of the shortcut, if it may take
   * packets of the connected sender.
   */
  open(address: string, port: number, receive: Receive, row?: number): Promise<UdpSocket>
  /** Delivers everything that has arrived, as of `nowMs`. */
  poll(nowMs: number): void
  close(): void
}

export type UdpKind = 'koffi' | 'dgram'

export class PortTaken extends Error {
  constructor(port: number) {
    super(`UDP port ${port} cannot be opened`)
    this.name = 'PortTaken'
  }
}

const familyV4 = 2
const familyV6 = 10
const sizeV4 = 16
const sizeV6 = 28

/** `struct sockaddr_in` or `sockaddr_in6` of Linux. An IPv6 socket reaches IPv4 by mapped addresses. */
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

/** The same address always has the same text: mapped IPv4 as IPv4, IPv6 in its eight groups. */
export const canonicalAddress = (address: string): string => {
  const plain = address.replace(/%.*$/, '')
  return isIPv4(plain) ? plain : textOfV6(bytesOfV6(plain))
}

/** Address at which this machine reaches a socket bound to `address`. */
export const localAddress = (address: string): string => {
  if (/^[0.]*$/.test(address)) return '127.0.0.1'
  return /^[0:]*$/.test(address) ? '::1' : address
}

/** Whether a socket bound to `own` can send to `address`. Bound to all addresses of IPv6 it reaches IPv4, too. */
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
