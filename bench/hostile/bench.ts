import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The service's heap limits (`bin/offhook.mjs`): growing beyond them ends the program. */
const heap = ['--max-old-space-size=256', '--max-semi-space-size=16', '--expose-gc']
const program = join(import.meta.dirname, 'feed-all.ts')
const child = spawn(process.execPath, [...heap, program, ...process.argv.slice(2)], { stdio: ['inherit', 'pipe', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
// The test fixtures also print test reports; those lines are skipped.
createInterface({ input: child.stdout }).on('line', (line) => {
  if (line.startsWith('{')) console.log(line)
})
child.on('exit', (code) => (process.exitCode = code ?? 1))
