import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { timeoutMs } from '../machine/peer-process.ts'

type Command = Readonly<Record<string, string | number | readonly string[]>>
type Value = Command[string] | Command

const isList = (value: Value): value is readonly string[] => Array.isArray(value)

/** Bencoding, the format of the control protocol. */
const encode = (value: Value): string => {
  if (typeof value === 'number') return `i${value}e`
  if (typeof value === 'string') return `${Buffer.byteLength(value)}:${value}`
  if (isList(value)) return `l${value.map(encode).join('')}e`
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `d${entries.map(([key, each]) => encode(key) + encode(each)).join('')}e`
}

/** Text value of a key in the outermost dictionary; sufficient for these replies. */
const textOf = (answer: Buffer, key: string): string | undefined => {
  const named = answer.indexOf(`${key.length}:${key}`)
  if (named < 0) return undefined
  const start = named + String(key.length).length + 1 + key.length
  const colon = answer.indexOf(':', start)
  const length = Number(answer.toString('latin1', start, colon))
  return answer.toString('utf8', colon + 1, colon + 1 + length)
}

/** Sends a command to a running rtpengine, and returns the SDP of its reply. */
export const askRtpengine = async (controlPort: number, command: Command): Promise<string> => {
  const socket = createSocket('udp4')
  try {
    socket.send(`${Math.random().toString(36).slice(2)} ${encode(command)}`, controlPort, '127.0.0.1')
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [Buffer]
    const sdp = textOf(answer, 'sdp')
    if (sdp === undefined) throw new Error(`rtpengine says ${answer.toString()}`)
    return sdp
  } finally {
    socket.close()
  }
}
