import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { inClone, repository } from '#places.ts'
import type { Running } from '#wiring/main.ts'
import { Mistake } from '../terminal/mistake.ts'

const script = join(repository, 'packages/console/build/build.ts')

/** Builds the console when it is missing or older than its sources, in a process of its own, whose memory ends with it. */
const runBuild = (signal?: AbortSignal): Promise<boolean> =>
  new Promise((done) => {
    // What Vite shows on standard output is for terminals, and ours is for the ready line.
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'], ...(signal && { signal }) })
    child.on('error', () => done(false))
    child.on('exit', (code) => done(code === 0))
  })

/** A package has it built. The service starts meanwhile. When that fails or is interrupted, the build is stopped too. */
export const withConsole = async (start: () => Promise<Running>, ending: AbortController): Promise<Running> => {
  if (!inClone) return start()
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

/** Everything else works without the console, so a failure is only reported. */
const ensureConsole = async (ending: AbortSignal): Promise<void> => {
  const isBuilt = await runBuild(ending)
  if (!isBuilt && !ending.aborted) console.error('offhook: the console could not be built; its last version is shown, if there is one')
}

/** Meanwhile all sources of the service are loaded: Node's compile cache then speeds up the first start. */
export const buildConsole = async (): Promise<void> => {
  const [isBuilt] = await Promise.all([runBuild(), import('#wiring/main.ts').catch(() => {})])
  if (!isBuilt) throw new Mistake(1, 'The console could not be built.')
}
