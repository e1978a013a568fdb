import { Agent, request } from 'node:http'
import { parentPort } from 'node:worker_threads'
import type { Answer, Ask } from './client.ts'

/** Sends requests from a separate thread, so that client cost does not count as service cost. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const send = ({ id, url, method, headers, body }: Ask): Promise<Answer> =>
  new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': String(body.byteLength) }
    const call = request(url, { agent, method, headers: { ...headers, ...length } }, (reply) => {
      let text = ''
      reply.setEncoding('utf8')
      reply.on('data', (piece: string) => (text = (text + piece).slice(0, 2_000)))
      reply.on('close', () => resolve({ id, status: reply.statusCode ?? 0, text }))
    })
    call.on('error', (error) => resolve({ id, status: 0, text: error.message }))
    call.end(body)
  })

parentPort?.on('message', (ask: Ask) => {
  void send(ask).then((answer) => parentPort?.postMessage(answer, []))
})
