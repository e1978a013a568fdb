import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Scope } from '../machine/temporary-folder.ts'

/** Runs an example as its reader would, on a free port; gives the address that it prints. */
export const startExample = async (t: Scope, name: string, settings: Record<string, string>): Promise<string> => {
  const file = join(import.meta.dirname, '../../../examples', name, 'endpoint.mjs')
  const program = spawn(process.execPath, [file], { env: { ...process.env, ...settings, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    program.kill()
    await once(program, 'exit')
  })
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string]
  return line
}
