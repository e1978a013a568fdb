import { arch } from 'node:process'
import { loadFirst, loadKoffi } from '../load-library.ts'
import {
  decodeSocketAddress,
  encodeSocketAddress,
  PortTaken,
  type Receive,
  type Shortcut,
  type SocketAddress,
  type Udp,
  type UdpSocket,
} from './socket.ts'
import { permitMemory, SendPermit } from './send-permit.ts'

/** Direct system calls: a packet costs a quarter of node:dgram. Linux only. */
interface Libc {
  socket(family: number, type: number, protocol: number): number
  bind(fd: number, address: Buffer, size: number): number
  connect(fd: number, address: Buffer, size: number): number
  setsockopt(fd: number, level: number, option: number, value: Buffer, size: number): number
  recv(fd: number, bytes: Buffer, size: number, flags: number): number
  recvfrom(fd: number, bytes: Buffer, size: number, flags: number, address: Buffer, addressSize: Buffer): number
  send(fd: number, bytes: Uint8Array, size: number, flags: number): number
  sendto(fd: number, bytes: Uint8Array, size: number, flags: number, address: Buffer, addressSize: number): number
  close(fd: number): number
  setpriority(which: number, who: number, priority: number): number
  epoll_create1(flags: number): number
  epoll_ctl(epoll: number, operation: number, fd: number, event: Buffer): number
  epoll_wait(epoll: number, events: Buffer, count: number, timeoutMs: number): number
}

const signatures: Record<keyof Libc, string> = {
  socket: 'int socket(int, int, int)',
  bind: 'int bind(int, void *, uint32_t)',
  connect: 'int connect(int, void *, uint32_t)',
  setsockopt: 'int setsockopt(int, int, int, void *, uint32_t)',
  recv: 'int recv(int, void *, size_t, int)',
  recvfrom: 'int recvfrom(int, void *, size_t, int, void *, void *)',
  send: 'int send(int, void *, size_t, int)',
  sendto: 'int sendto(int, void *, size_t, int, void *, uint32_t)',
  close: 'int close(int)',
  setpriority: 'int setpriority(int, uint32_t, int)',
  epoll_create1: 'int epoll_create1(int)',
  epoll_ctl: 'int epoll_ctl(int, int, int, void *)',
  epoll_wait: 'int epoll_wait(int, void *, int, int)',
}

// Linux constants, the same on x64 and arm64. The event structure is packed on x64 only.
const AF_INET = 2
const AF_INET6 = 10
const AF_UNSPEC = 0
const SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0o4000 | 0o2000000
const EPOLL_CLOEXEC = 0o2000000
const EPOLL_CTL_ADD = 1
const EPOLL_CTL_DEL = 2
const EPOLLIN = 1
const IPPROTO_IPV6 = 41
const IPV6_V6ONLY = 26
const PRIO_PROCESS = 0
const thisThread = 0
const eventSize = arch === 'x64' ? 12 : 16
const eventData = arch === 'x64' ? 4 : 8

const eventsPerPoll = 1024
const packetsPerTurn = 64
const maxPacketBytes = 2048

let loaded: Libc | undefined | Error

/** Throws without koffi or a suitable libc. */
export const loadLibc = (): Libc => {
  loaded ??= tryToLoad()
  if (loaded instanceof Error) throw loaded
  return loaded
}

const tryToLoad = (): Libc | Error => {
  try {
    const musl = `libc.musl-${arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`
    const library = loadFirst(loadKoffi(), ['libc.so.6', musl])
    const functions = Object.entries(signatures).map(([name, signature]) => [name, library.func(signature)] as const)
    return Object.fromEntries(functions) as unknown as Libc
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Closes sockets that were released, or whose thread died. */
export const closeDescriptors = (descriptors: Iterable<number>): void => {
  for (const descriptor of descriptors) loadLibc().close(descriptor)
}

/** Numbers by a small index, such as a descriptor; default 0. */
class NumberList {
  numbers = new Int32Array(64)

  set(at: number, value: number): void {
    if (at >= this.numbers.length) {
      const larger = new Int32Array(2 * Math.max(at, this.numbers.length))
      larger.set(this.numbers)
      this.numbers = larger
    }
    this.numbers[at] = value
  }
}

interface SocketDeps {
  receive: Receive
  permit: SendPermit
  released: (socket: KoffiSocket) => void
  /** `yes`: packets now come from and go to one sender only; otherwise no longer. */
  direct: (socket: KoffiSocket, yes: boolean) => void
}

class KoffiSocket implements UdpSocket {
  readonly descriptor: number
  readonly port: number
  readonly #libc: Libc
  readonly #v6: boolean
  readonly #deps: SocketDeps
  #target: Buffer | undefined
  #connected = false
  /** No packet from before the connection is left in the queue. */
  #drained = false
  #open = true

  constructor(libc: Libc, address: string, port: number, deps: SocketDeps) {
    this.#libc = libc
    this.#v6 = address.includes(':')
    this.#deps = deps
    this.descriptor = libc.socket(this.#v6 ? AF_INET6 : AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0)
    if (this.descriptor < 0) throw new PortTaken(port)
    if (this.#v6) libc.setsockopt(this.descriptor, IPPROTO_IPV6, IPV6_V6ONLY, Buffer.alloc(4), 4)
    const local = encodeSocketAddress({ address, port }, this.#v6)
    if (libc.bind(this.descriptor, local, local.length) < 0) {
      libc.close(this.descriptor)
      throw new PortTaken(port)
    }
    this.port = port
  }

  connect(to: SocketAddress): void {
    const target = encodeSocketAddress(to, this.#v6)
    this.#libc.connect(this.descriptor, target, target.length)
    this.#connected = true
    this.#drained = false
  }

  aim(to: SocketAddress): void {
    this.#target = encodeSocketAddress(to, this.#v6)
    if (!this.#connected) return
    this.#deps.direct(this, false)
    const nobody = Buffer.alloc(this.#target.length)
    nobody.writeUInt16LE(AF_UNSPEC, 0)
    this.#libc.connect(this.descriptor, nobody, nobody.length)
    this.#connected = false
  }

  send(bytes: Uint8Array, length: number): void {
    if (!this.#open || !this.#deps.permit.isOpen) return
    if (this.#connected) this.#libc.send(this.descriptor, bytes, length, 0)
    else if (this.#target) this.#libc.sendto(this.descriptor, bytes, length, 0, this.#target, this.#target.length)
  }

  /** Reads queued packets. The next poll reports those left after this turn. */
  readable(into: Buffer, sender: Buffer, senderSize: Buffer, nowMs: number): void {
    for (let i = 0; i < packetsPerTurn && this.#open; i++) {
      if (this.#drained && this.#connected) {
        const length = this.#libc.recv(this.descriptor, into, maxPacketBytes, 0)
        if (length >= 0) this.received(into, length, nowMs)
        return
      }
      senderSize.writeUInt32LE(sender.length, 0)
      const length = this.#libc.recvfrom(this.descriptor, into, maxPacketBytes, 0, sender, senderSize)
      if (length >= 0) this.#deps.receive(into, length, decodeSocketAddress(sender), nowMs)
      else {
        this.#drained = this.#connected
        if (this.#drained) this.#deps.direct(this, true)
        return
      }
    }
  }

  /** A packet from the connected sender. */
  received(bytes: Uint8Array, length: number, nowMs: number): void {
    this.#deps.receive(bytes, length, undefined, nowMs)
  }

  close(): void {
    if (!this.#open) return
    this.release()
    this.#libc.close(this.descriptor)
  }

  release(): void {
    if (!this.#open) return
    this.#open = false
    this.#deps.direct(this, false)
    this.#deps.released(this)
  }
}

class KoffiUdp implements Udp {
  readonly kind = 'koffi'
  readonly #libc = loadLibc()
  readonly #epoll = this.#libc.epoll_create1(EPOLL_CLOEXEC)
  /** By descriptor. */
  readonly #sockets: (KoffiSocket | undefined)[] = []
  readonly #events = Buffer.alloc(eventsPerPoll * eventSize)
  readonly #eventWords = new Int32Array(this.#events.buffer, this.#events.byteOffset, this.#events.length / 4)
  readonly #packet = Buffer.alloc(maxPacketBytes)
  readonly #sender = Buffer.alloc(28)
  readonly #senderSize = Buffer.alloc(4)

  readonly #shortcut: Shortcut | undefined
  readonly #permit: SendPermit
  /** Row by descriptor and descriptor by row, for connected sockets. */
  readonly #rows = new NumberList()
  readonly #descriptors = new NumberList()

  constructor(shortcut: Shortcut | undefined, permit: SendPermit) {
    this.#shortcut = shortcut
    this.#permit = permit
  }

  async open(address: string, port: number, receive: Receive, row = 0): Promise<UdpSocket> {
    const socket = new KoffiSocket(this.#libc, address, port, {
      receive,
      permit: this.#permit,
      released: (released) => this.#forget(released),
      direct: ({ descriptor }, yes) => {
        this.#rows.set(descriptor, yes ? row : 0)
        if (row > 0) this.#descriptors.set(row, yes ? descriptor : 0)
      },
    })
    this.#rows.set(socket.descriptor, 0)
    if (row > 0) this.#descriptors.set(row, 0)
    const event = Buffer.alloc(eventSize)
    event.writeUInt32LE(EPOLLIN, 0)
    event.writeUInt32LE(socket.descriptor, eventData)
    this.#libc.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, socket.descriptor, event)
    this.#sockets[socket.descriptor] = socket
    return socket
  }

  #forget({ descriptor }: KoffiSocket): void {
    this.#sockets[descriptor] = undefined
    this.#libc.epoll_ctl(this.#epoll, EPOLL_CTL_DEL, descriptor, Buffer.alloc(eventSize))
  }

  poll(nowMs: number): void {
    for (;;) {
      const count = this.#libc.epoll_wait(this.#epoll, this.#events, eventsPerPoll, 0)
      for (let i = 0; i < count; i++) {
        const descriptor = this.#eventWords[(i * eventSize + eventData) / 4]!
        const row = this.#rows.numbers[descriptor]!
        if (row > 0) this.#take(descriptor, row, nowMs)
        else this.#sockets[descriptor]?.readable(this.#packet, this.#sender, this.#senderSize, nowMs)
      }
      if (count < eventsPerPoll) return
    }
  }

  /** Reads one packet; the next poll reports more. */
  #take(descriptor: number, row: number, nowMs: number): void {
    const packet = this.#packet
    const length = this.#libc.recv(descriptor, packet, maxPacketBytes, 0)
    if (length < 0) return
    const target = this.#shortcut?.takes(row, packet, length, nowMs) ?? -1
    if (target < 0) this.#sockets[descriptor]?.received(packet, length, nowMs)
    if (target <= 0) return
    const out = this.#descriptors.numbers[target] ?? 0
    if (out > 0) {
      if (this.#permit.isOpen) this.#libc.send(out, packet, length, 0)
    } else this.#shortcut?.transmit(target, packet, length)
  }

  close(): void {
    for (const socket of this.#sockets) socket?.close()
    this.#libc.close(this.#epoll)
  }
}

export const openKoffi = (shortcut?: Shortcut, permit = new SendPermit(permitMemory())): Udp => new KoffiUdp(shortcut, permit)

/** Raises the priority of this thread above others of the process, if permitted: a packet cannot wait for a web page. */
export const preferThisThread = (): void => void loadLibc().setpriority(PRIO_PROCESS, thisThread, -10)
