import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { G711 } from '#media/codec/g711.ts'
import { sine } from '#media/sound/tone.ts'
import { closedWith } from '../http/loopback-server.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { toneLevel } from '../sound/spectrum.ts'

type Json = Record<string, unknown>

/** Third-party audio server for one format. */
export interface SoundServer {
  readonly url: string
  /** Address for OFFHOOK_EGRESS_ALLOW. */
  readonly address: string
  readonly messages: Json[]
  headers: IncomingHttpHeaders
  /** Level of a tone in the latest sound. */
  level(hz: number): number
  /** Sends to all connections. */
  say(message: object): void
}

export interface SoundFormat {
  rate: number
  /** Samples of a message, if it has any. */
  read: (data: Buffer, isBinary: boolean) => Int16Array | undefined
  /** Called with every message that is not audio. */
  onEvent: (message: Json, socket: WebSocket) => void
}

const retentionMs = 200

export const startSoundServer = async (t: Scope, { rate, read, onEvent: notifications }: SoundFormat): Promise<SoundServer> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = closedWith(t, server)
  const sockets = new WebSocketServer({ server })
  let heard: number[] = []
  const started: SoundServer = {
    url: `ws://${address}/`,
    address,
    messages: [],
    headers: {},
    level: (hz) => toneLevel(heard, hz, rate),
    say: (message) => sockets.clients.forEach((socket) => socket.send(JSON.stringify(message))),
  }
  sockets.on('connection', (socket, { headers }) => {
    started.headers = headers
    socket.on('message', (data: Buffer, isBinary) => {
      const samples = read(data, isBinary)
      if (samples) heard = [...heard, ...samples].slice(-(rate * retentionMs) / 1000)
      if (samples) return
      const message = JSON.parse(data.toString()) as Json
      started.messages.push(message)
      notifications(message, socket)
    })
  })
  return started
}

const law = new G711('PCMU')

export const fromMuLaw = (bytes: Buffer): Int16Array => {
  const samples = new Int16Array(bytes.length)
  law.decode(bytes, 0, bytes.length, samples, 0)
  return samples
}

/** Tone at 8 kHz. */
export const muLawTone = (hz: number, ms: number): Buffer => {
  const bytes = Buffer.alloc(ms * 8)
  law.encode(sine([hz], ms, 8000, -10), bytes, 0)
  return bytes
}

/** Tone as 16-bit PCM. */
export const pcmTone = (hz: number, ms: number, rate: number): Buffer => Buffer.from(sine([hz], ms, rate, -10).buffer)
