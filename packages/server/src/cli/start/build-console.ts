import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Running } from '#wiring/main.ts'
import { Mistake } from '../terminal/mistake.ts'

const script = join(import.meta.dirname, '../../../../console/build/build.ts')

/** Makes the console's pages when they are missing or older than their sources, in a process that takes its memory with it. */
const runBuild = (signal?: AbortSignal): Promise<boolean> =>
  new Promise((done) => {
    // What Vite shows on standard output is for terminals, and ours is for the ready line.
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'], ...(signal && { signal }) })
    child.on('error', () => done(false))
    child.on('exit', (code) => done(code === 0))
  })

/** Meanwhile the service starts. When that fails, or somebody wants it to end, nobody needs pages. */
export const withConsole = async (start: () => Promise<Running>, ending: AbortController): Promise<Running> => {
  const building = ensureConsole(ending.signal)
  try {
    const running = await start()
    await building
    return running
  } catch (error) {
    ending.abort()
    throw error
  }
}

/** Everything else works without the console, so a failure is only told. */
const ensureConsole = async (ending: AbortSignal): Promise<void> => {
  const isBuilt = await runBuild(ending)
  if (!isBuilt && !ending.aborted) console.error('offhook: the console could not be built; its last version is shown, if there is one')
}

/** Meanwhile all sources of the service are read: what Node makes of them is kept, and the first start need not wait for it. */
export const buildConsole = async (): Promise<void> => {
  const [isBuilt] = await Promise.all([runBuild(), import('#wiring/main.ts').catch(() => {})])
  if (!isBuilt) throw new Mistake(1, 'The console could not be built.')
}
