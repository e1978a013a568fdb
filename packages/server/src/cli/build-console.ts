import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Running } from '../main.ts'
import { Mistake } from './mistake.ts'

const script = join(import.meta.dirname, '../../../console/build/build.ts')

/** Makes the console's pages when they are missing or older than their sources, in a process that takes its memory with it. */
const runBuild = (signal?: AbortSignal): Promise<boolean> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'], ...(signal && { signal }) })
    child.on('error', () => done(false))
    child.on('exit', (code) => done(code === 0))
  })

/** Meanwhile the service starts; when that fails, nobody needs pages. */
export const withConsole = async (start: () => Promise<Running>): Promise<Running> => {
  const failed = new AbortController()
  const building = ensureConsole(failed.signal)
  try {
    const running = await start()
    await building
    return running
  } catch (error) {
    failed.abort()
    throw error
  }
}

/** Everything else works without the console, so a failure is only told. */
const ensureConsole = async (signal: AbortSignal): Promise<void> => {
  if (!(await runBuild(signal)) && !signal.aborted)
    console.error('offhook: the console could not be built; its last version is shown, if there is one')
}

export const buildConsole = async (): Promise<void> => {
  if (!(await runBuild())) throw new Mistake(1, 'The console could not be built.')
}
