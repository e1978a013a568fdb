import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadOrder, LoadResult } from './rtp-load.ts'

export interface Load {
  /** Port of its telephones. */
  port: number
  measure(order: LoadOrder): { begun: Promise<unknown>; ended: Promise<unknown>; result: Promise<LoadResult> }
  stop(): void
}

/** Starts the telephones of rtp-load.ts in a separate process. */
export const startLoad = async (): Promise<Load> => {
  const child = fork(join(import.meta.dirname, 'rtp-load.ts'))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    measure(order) {
      child.send(order)
      const begun = once(child, 'message')
      const ended = begun.then(() => once(child, 'message'))
      return { begun, ended, result: ended.then(() => once(child, 'message')).then(([result]) => result as LoadResult) }
    },
    stop: () => child.disconnect(),
  }
}
