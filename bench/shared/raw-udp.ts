import { createRequire } from 'node:module'
import { encodeSocketAddress } from '#media/socket/socket.ts'

/** UDP directly through libc, so that the load generator disturbs the measurement as little as possible. */
const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
const libc = koffi.load('libc.so.6')
const socket = libc.func('int socket(int, int, int)') as (family: number, type: number, protocol: number) => number
const bind = libc.func('int bind(int, void *, uint32_t)') as (fd: number, address: Buffer, size: number) => number
const getsockname = libc.func('int getsockname(int, void *, void *)') as (fd: number, address: Buffer, size: Buffer) => number
const setsockopt = libc.func('int setsockopt(int, int, int, void *, uint32_t)') as (...args: (number | Buffer)[]) => number

const [AF_INET, SOCK_DGRAM, SOCK_NONBLOCK] = [2, 2, 0o4000]

export const close = libc.func('int close(int)') as (fd: number) => number
export const ioctl = libc.func('int ioctl(int, ulong, void *)') as (fd: number, request: number, into: Buffer) => number
export const recvfrom = libc.func('int recvfrom(int, void *, size_t, int, void *, void *)') as (...args: (number | Buffer)[]) => number
export const sendto = libc.func('int sendto(int, void *, size_t, int, void *, uint32_t)') as (...args: (number | Buffer)[]) => number

const [SOL_SOCKET, SO_RCVBUFFORCE] = [1, 33]

/** Sends one datagram from a free port of this address through a one-shot socket. */
export const sendFrom = (address: Buffer, bytes: Buffer, length: number, to: Buffer): void => {
  const fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)
  bind(fd, address, address.length)
  sendto(fd, bytes, length, 0, to, to.length)
  close(fd)
}

/** Non-blocking socket on a free port of this address. */
export const openUdp = (address: string, receiveBytes: number): { fd: number; port: number } => {
  const fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)
  const local = encodeSocketAddress({ address, port: 0 }, false)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(receiveBytes)
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, size, 4)
  bind(fd, local, local.length)
  size.writeUInt32LE(16)
  getsockname(fd, local, size)
  return { fd, port: local.readUInt16BE(2) }
}
