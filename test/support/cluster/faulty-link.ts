import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Scope } from '../machine/temporary-folder.ts'

/** `slow`: delays responses by this many milliseconds. `swallow`: connections stay open, and nothing passes. */
export type LinkState = { kind: 'through' } | { kind: 'slow'; ms: number } | { kind: 'swallow' } | { kind: 'refuse' }

/** TCP proxy between two programs with injectable faults. */
export class FaultyLink {
  readonly #server: Server
  readonly #to: number
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #state: LinkState = { kind: 'through' }

  private constructor(server: Server, to: number) {
    this.#server = server
    this.#to = to
    server.on('connection', (socket) => this.#join(socket))
  }

  static async open(t: Scope, to: number): Promise<FaultyLink> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const link = new FaultyLink(server, to)
    t.after(() => link.close())
    return link
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get connections(): number {
    return this.#pairs.size
  }

  /** Swallowed data is lost: connections of that time stay broken, as behind a router that has dropped their state. */
  become(state: LinkState): void {
    this.#state = state
    if (state.kind === 'refuse') this.cut()
  }

  /** Ends every connection. */
  cut(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
    this.#pairs.clear()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket): void {
    if (this.#state.kind === 'refuse') return void near.resetAndDestroy()
    const far = connect(this.#to, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    const lost = { is: false }
    near.on('data', (piece: Buffer) => this.#pass(piece, far, lost, 0))
    far.on('data', (piece: Buffer) => this.#pass(piece, near, lost, this.#state.kind === 'slow' ? this.#state.ms : 0))
    const over = (): void => {
      if (this.#state.kind === 'swallow') return
      this.#pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', () => {}).on('close', over)
  }

  #pass(piece: Buffer, to: Socket, lost: { is: boolean }, ms: number): void {
    lost.is ||= this.#state.kind === 'swallow'
    if (lost.is) return
    if (ms === 0) return void to.write(piece)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!lost.is && !to.destroyed) to.write(piece)
    }, ms)
    this.#timers.add(timer)
  }
}
