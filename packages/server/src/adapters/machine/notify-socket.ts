import { loadLibc } from '#media/socket/socket-koffi.ts'

// Numbers of Linux, the same on x64 and arm64, which both have the low byte first.
const AF_UNIX = 1
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000
/** Nobody who does not read may stop our calls, and nobody who is gone ends us. */
const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000
/** What fits into `sun_path`. */
const maxPathLength = 107

/** Gives whether it was taken. */
export type Notify = (text: string) => boolean

/**
 * The socket of a service manager (`NOTIFY_SOCKET`): a path, or with `@` a name without a file. Node has no datagrams on Unix sockets, so it takes
 * koffi; throws without. It stays open as long as the process, which nobody else tells the manager about.
 */
export const openNotifySocket = (name: string): Notify => {
  const address = unixAddress(name)
  const libc = loadLibc()
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0)
  if (socket < 0) throw new Error('no Unix socket can be opened')
  return (text) => {
    const bytes = Buffer.from(text)
    return libc.sendto(socket, bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL, address, address.length) === bytes.length
  }
}

/** `sockaddr_un`: the family, then the path with its zero, or a zero and the name. */
const unixAddress = (name: string): Buffer => {
  if (!/^[/@]./.test(name)) throw new Error('NOTIFY_SOCKET is neither a path nor a name that begins with @')
  const path = Buffer.from(name.startsWith('@') ? `\0${name.slice(1)}` : `${name}\0`)
  if (path.length > maxPathLength + 1) throw new Error('NOTIFY_SOCKET is too long')
  const family = Buffer.alloc(2)
  family.writeUInt16LE(AF_UNIX)
  return Buffer.concat([family, path])
}
