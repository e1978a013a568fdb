import type { WebSocket } from 'ws'
import { G711 } from '#media/codec/g711.ts'
import { BadRequest, providerKey, ProviderServer, type ProviderRequest } from './provider-server.ts'
import { hearTones, textOf, type ToneWord } from './tone-words.ts'

const rate = 8000
const languages = ['de', 'en', 'multi', 'pl']
/** Samples of a pause that ends a segment. */
const pauseSamples = 0.3 * rate

/** wss /v1/listen. */
export const deepgramServer = (): Promise<ProviderServer> =>
  new ProviderServer({
    accept(request) {
      check(request)
      return (socket, server) => new Listener(socket, server)
    },
  }).listen()

const check = ({ path, query, headers }: ProviderRequest): void => {
  if (path !== '/v1/listen') throw new BadRequest(404, {})
  if (headers.authorization !== `Token ${providerKey}`) throw new BadRequest(401, { err_code: 'INVALID_AUTH' })
  const wanted = { encoding: 'mulaw', sample_rate: '8000', channels: '1', interim_results: 'true' }
  for (const [name, value] of Object.entries(wanted)) if (query.get(name) !== value) throw new BadRequest(400, { err_code: 'Bad Request' })
  if (!languages.includes(query.get('language') ?? '')) throw new BadRequest(400, { err_code: 'Bad Request' })
  const nova3 = query.get('model') === 'nova-3'
  if (query.has(nova3 ? 'keywords' : 'keyterm')) throw new BadRequest(400, { err_code: 'Bad Request' })
}

/** One conversation: returns interim and final results. */
class Listener {
  readonly #socket: WebSocket
  readonly #server: ProviderServer
  readonly #codec = new G711('PCMU')
  #samples = new Int16Array(0)
  #finalUntil = 0
  #told = ''

  constructor(socket: WebSocket, server: ProviderServer) {
    this.#socket = socket
    this.#server = server
    socket.on('message', (data, isBinary) => (isBinary ? this.#hear(data as Buffer) : this.#execute((data as Buffer).toString())))
  }

  #hear(bytes: Buffer): void {
    if (this.#server.fault === 'garbage') this.#socket.send('{"type": ')
    if (this.#server.fault === 'cut') this.#socket.terminate()
    const longer = new Int16Array(this.#samples.length + bytes.length)
    longer.set(this.#samples)
    this.#codec.decode(bytes, 0, bytes.length, longer, this.#samples.length)
    this.#samples = longer
    const words = this.#words()
    const last = words.at(-1)
    if (last && this.#samples.length - last.to > pauseSamples) this.#result(words, { is_final: true, speech_final: true })
    else if (textOf(words) !== this.#told) this.#result(words, {})
    this.#told = textOf(words)
  }

  #words(): ToneWord[] {
    return hearTones(this.#samples, rate).filter(({ from }) => from >= this.#finalUntil)
  }

  #execute(text: string): void {
    const { type } = JSON.parse(text) as { type: string }
    this.#server.requests.push({ method: type, path: '', query: new URLSearchParams(), headers: {}, body: Buffer.from(text) })
    if (this.#server.fault === 'stall') return
    // Returns nothing when almost nothing is left.
    if (type === 'Finalize' && this.#samples.length - this.#finalUntil > 0.1 * rate)
      this.#result(this.#words(), { is_final: true, from_finalize: true })
    if (type === 'CloseStream') {
      this.#socket.send(JSON.stringify({ type: 'Metadata', duration: this.#samples.length / rate, channels: 1 }))
      this.#socket.close(1000)
    }
  }

  #result(words: ToneWord[], kind: { is_final?: boolean; speech_final?: boolean; from_finalize?: boolean }): void {
    const seconds = (samples: number): number => Number((samples / rate).toFixed(3))
    const [start, end] = [this.#finalUntil, this.#samples.length]
    if (kind.is_final === true) this.#finalUntil = end
    const alternative = {
      transcript: textOf(words),
      confidence: words.length === 0 ? 0 : 0.9,
      languages: ['en'],
      words: words.map(({ text, from, to }) => ({
        word: text,
        punctuated_word: text,
        start: seconds(from),
        end: seconds(to),
        confidence: 0.9,
      })),
    }
    const result = {
      is_final: false,
      speech_final: false,
      from_finalize: false,
      ...kind,
      channel_index: [0, 1],
      channel: { alternatives: [alternative] },
    }
    this.#socket.send(JSON.stringify({ type: 'Results', start: seconds(start), duration: seconds(end - start), ...result }))
  }
}
