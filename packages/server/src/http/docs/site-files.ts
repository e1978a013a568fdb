import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { docsFolder, inClone, repository } from '#places.ts'

/** What is served below /docs/, by its path: compressed but for pictures. */
export type SiteFiles = (path: string) => Promise<Uint8Array | undefined>

/** A package brings the site along as files. */
const packed: SiteFiles = (path) => readFile(join(docsFolder, extname(path) === '.png' ? path : `${path}.gz`)).catch(() => undefined)

/** In a clone it is rendered at the first request, in a thread of its own, whose memory ends with it. */
const rendered = (): Promise<ReadonlyMap<string, Uint8Array>> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(join(repository, 'packages/docs/src/render-worker.ts'), { name: 'docs', execArgv: [] })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the documentation was not rendered')))
  })

const renderedOnce = (): SiteFiles => {
  let files: ReturnType<typeof rendered> | undefined
  return async (path) => {
    files ??= rendered()
    try {
      return (await files).get(path)
    } catch (error) {
      files = undefined // what is wrong may have been put right: the next request tries again
      throw error
    }
  }
}

export const siteFiles = (): SiteFiles => (inClone ? renderedOnce() : packed)
