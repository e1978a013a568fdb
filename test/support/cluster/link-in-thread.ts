import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Scope } from '../machine/temporary-folder.ts'
import type { LinkState } from './faulty-link.ts'

/** `FaultyLink` in a separate thread. */
export class LinkInThread {
  readonly port: number
  readonly #worker: Worker

  private constructor(worker: Worker, port: number) {
    this.#worker = worker
    this.port = port
  }

  static async open(t: Scope, to: number): Promise<LinkInThread> {
    const worker = new Worker(join(import.meta.dirname, 'faulty-link-thread.ts'), { workerData: to })
    t.after(() => worker.terminate())
    const [port] = (await once(worker, 'message')) as [number]
    return new LinkInThread(worker, port)
  }

  async become(state: LinkState): Promise<void> {
    const done = once(this.#worker, 'message')
    this.#worker.postMessage(state, [])
    await done
  }
}
