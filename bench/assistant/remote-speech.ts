import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Scope } from '#test/machine/temporary-folder.ts'

/** Upsamples 8 kHz to 24 kHz by repeating each sample three times, as a TTS server would send it. */
const wide = (samples: Int16Array): Buffer => {
  const spread = new Int16Array(samples.length * 3)
  for (let i = 0; i < spread.length; i++) spread[i] = samples[Math.floor(i / 3)] ?? 0
  return Buffer.from(spread.buffer)
}

const bytesPerSecond = 8000

/** Mimics Deepgram STT with fixed words: a result every second, and a final one on the finish request. */
const listen = (socket: WebSocket): void => {
  let [heard, notified, final] = [0, 0, 0]
  const result = (transcript: string, kind: object): void => {
    const at = Math.max(final, heard - 0.5)
    const words = transcript === '' ? [] : transcript.split(' ').map((word) => ({ word, start: at, end: at }))
    const channel = { alternatives: [{ transcript, confidence: 0.9, words }] }
    socket.send(JSON.stringify({ type: 'Results', start: final, duration: heard - final, is_final: false, ...kind, channel }))
    notified = heard
  }
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) heard += data.length / bytesPerSecond
    else if (data.includes('Finalize')) {
      result('I would like to book a table', { is_final: true, from_finalize: true })
      final = heard
    }
    if (heard - notified >= 1) result('', {})
  })
}

/** Remote speech service with Deepgram's and OpenAI's interfaces; costs the program only the network traffic. */
export const startRemoteSpeech = async (scope: Scope, spoken: (nth: number) => Int16Array): Promise<Record<string, string>> => {
  let count = 0
  const speak = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'audio/pcm' }).end(wide(spoken(count++))))
  }
  const server = createServer(speak)
  new WebSocketServer({ server }).on('connection', listen)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { OFFHOOK_DEEPGRAM_KEY: 'none', OFFHOOK_DEEPGRAM_URL: url, OFFHOOK_OPENAI_KEY: 'none', OFFHOOK_OPENAI_URL: url }
}
