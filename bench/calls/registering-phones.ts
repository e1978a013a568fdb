import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { buildRequest, type HeaderLines } from '@offhook/sip/message/build.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import type { Response } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'

export interface Login {
  username: string
  password: string
}

/** T1: unanswered requests are retransmitted after this time. */
const retryMs = 500
const delayMs = 200

interface Phone {
  digest: DigestClient
  username: string
  nth: number
  cseq: number
}

/** Many phones on one socket, each with its own address of record. */
export class RegisteringPhones {
  readonly #socket: Socket
  readonly #server: { host: string; port: number }
  readonly #phones: Phone[]
  /** By Call-ID. */
  readonly #waiting = new Map<string, (response: Response) => void>()
  /** Number of 503 responses; the phone retries later. */
  refused = 0

  private constructor(socket: Socket, server: string, logins: readonly Login[]) {
    const [host = '', port] = server.split(':')
    this.#socket = socket
    this.#server = { host, port: Number(port) }
    this.#phones = logins.map(({ username, password }, nth) => ({
      digest: new DigestClient({ username, password }),
      username,
      nth,
      cseq: 0,
    }))
    socket.on('message', (bytes) => {
      const response = parseMessage(bytes)
      if ('status' in response) this.#waiting.get(response.callId)?.(response)
    })
  }

  static async open(server: string, logins: readonly Login[]): Promise<RegisteringPhones> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 8 * 1024 * 1024, sendBufferSize: 8 * 1024 * 1024 })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new RegisteringPhones(socket, server, logins)
  }

  /** Registers all phones with the given concurrency. Returns registrations per second. */
  async register(concurrency: number): Promise<number> {
    const started = performance.now()
    const left = this.#phones.values()
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (const phone of left) await this.#registerOne(phone)
      }),
    )
    return Math.round((this.#phones.length * 1000) / (performance.now() - started))
  }

  close(): void {
    this.#socket.close()
  }

  async #registerOne(phone: Phone): Promise<void> {
    for (;;) {
      const response = await this.#send(phone)
      if (response.status === 200) return
      if (response.status === 503) {
        this.refused++
        await new Promise((resolve) => setTimeout(resolve, delayMs))
      } else if (response.status !== 401 || !phone.digest.challenged(response)) throw new Error(`a phone got ${response.status}`)
    }
  }

  #send(phone: Phone): Promise<Response> {
    const callId = `phone-${phone.nth}`
    const { port } = this.#socket.address()
    const uri = `sip:${this.#server.host}`
    const lines: HeaderLines = [
      ['Via', `SIP/2.0/UDP 127.0.0.1:${port};rport;branch=z9hG4bK${phone.nth}x${++phone.cseq}`],
      ['Max-Forwards', '70'],
      ['From', `<sip:${phone.username}@offhook>;tag=${phone.nth}`],
      ['To', `<sip:${phone.username}@offhook>`],
      ['Call-ID', callId],
      ['CSeq', `${phone.cseq} REGISTER`],
      ['Contact', `<sip:${phone.username}@127.0.0.1:${port};line=${phone.nth}>`],
      ['Expires', '3600'],
      ['User-Agent', 'Bench'],
      ...phone.digest.authorization('REGISTER', uri),
    ]
    const bytes = buildRequest('REGISTER', uri, lines)
    const send = (): void => this.#socket.send(bytes, this.#server.port, this.#server.host)
    return new Promise((resolve) => {
      const again = setInterval(send, retryMs)
      this.#waiting.set(callId, (response) => {
        if (response.cseq.number !== phone.cseq) return
        clearInterval(again)
        this.#waiting.delete(callId)
        resolve(response)
      })
      send()
    })
  }
}
