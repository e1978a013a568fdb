import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Mistake } from './mistake.ts'

const script = join(import.meta.dirname, '../../../console/build/build.ts')

/** Makes the console's pages when they are missing or older than their sources, in a process that takes its memory with it. */
const runBuild = (): Promise<boolean> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', () => done(false))
    child.on('exit', (code) => done(code === 0))
  })

/** For `serve`: everything else works without the console, so a failure is only told. */
export const ensureConsole = async (): Promise<void> => {
  if (!(await runBuild())) console.error('offhook: the console could not be built; its last version is shown, if there is one')
}

export const buildConsole = async (): Promise<void> => {
  if (!(await runBuild())) throw new Mistake(1, 'The console could not be built.')
}
