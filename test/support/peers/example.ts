import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Scope } from '../machine/temporary-folder.ts'

/** Runs an example as its reader would, on a free port; returns the printed address. */
export const startExample = async (t: Scope, name: string, settings: Record<string, string>, program = 'endpoint.mjs'): Promise<string> => {
  const file = join(import.meta.dirname, '../../../examples', name, program)
  const example = spawn(process.execPath, [file], { env: { ...process.env, ...settings, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(example, 'exit')
  t.after(async () => {
    example.kill()
    await ended
  })
  const failed = ended.then(() => {
    throw new Error(`${file} ended before it said where it listens`)
  })
  failed.catch(() => {}) // also when the test ends it
  const [line] = (await Promise.race([once(createInterface(example.stdout), 'line'), failed])) as [string]
  return line
}
