import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Scope } from '../machine/temporary-folder.ts'

/** Runs an example as its reader would, on a free port; gives the address that it prints. */
export const startExample = async (t: Scope, name: string, settings: Record<string, string>, program = 'endpoint.mjs'): Promise<string> => {
  const file = join(import.meta.dirname, '../../../examples', name, program)
  const example = spawn(process.execPath, [file], { env: { ...process.env, ...settings, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    example.kill()
    await once(example, 'exit')
  })
  const [line] = (await once(createInterface(example.stdout), 'line')) as [string]
  return line
}
