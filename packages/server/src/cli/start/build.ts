import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isBuilt, repository } from '#places.ts'
import type { Running } from '#wiring/main.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Builds the console when it is missing or older than its sources. */
const consoleScript = join(repository, 'packages/console/build/build.ts')
/** Bundles the sources into one program. */
const programScript = join(repository, 'release/build/in-clone.ts')

/** In a separate process, whose memory is freed with it. */
const run = (script: string, signal?: AbortSignal): Promise<boolean> =>
  new Promise((done) => {
    // Vite's standard output is for terminals, and ours is for the ready line.
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'], ...(signal && { signal }) })
    child.on('error', () => done(false))
    child.on('exit', (code) => done(code === 0))
  })

/** A bundled program includes the console. Otherwise the console is built while the service starts. When the start fails or is interrupted, the build is stopped, too. */
export const withConsole = async (start: () => Promise<Running>, ending: AbortController): Promise<Running> => {
  if (isBuilt) return start()
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
  const succeeded = await run(consoleScript, ending)
  if (!succeeded && !ending.aborted) console.error('offhook: the console could not be built; its last version is shown, if there is one')
}

/** Loads the program once, so that Node caches the compiled code for the first start. */
export const build = async (): Promise<void> => {
  if (!(await run(consoleScript))) throw new Mistake(1, 'The console could not be built.')
  if (!(await run(programScript))) throw new Mistake(1, 'The program could not be built; the sources run instead.')
  await import(pathToFileURL(join(repository, 'packages/server/bundle/main.js')).href).catch(() => {})
}
