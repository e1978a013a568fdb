import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../../support/temporary-folder.ts'

const rate = 8000
const seconds = 0.5

/** Mono, 16 bit, 8 kHz, with nothing but what such a file needs. */
const toneFile = (hz: number): Buffer => {
  const samples = Int16Array.from({ length: rate * seconds }, (_, i) => Math.round(8192 * Math.sin((2 * Math.PI * hz * i) / rate)))
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer)])
}

/** Serves half a second of any tone: `/1075.wav`. Gives where. */
export const serveTones = async (scope: Scope): Promise<string> => {
  const server = createServer((request, reply) => void reply.end(toneFile(Number(/\d+/.exec(request.url ?? '')?.[0]))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
