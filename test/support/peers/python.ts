import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { Scope } from '../machine/temporary-folder.ts'
import { needs } from './debian.ts'

const root = join(import.meta.dirname, '../../..')

/** Debian's, with Debian's packages. */
export const python = '/usr/bin/python3'
export const pythonPackage = join(root, 'packages/python')

/** Finds our package in the sources, and leaves nothing beside them. */
export const pythonEnvironment = { PYTHONPATH: join(pythonPackage, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** Python, and what our package takes to serve. */
export const needsPython = (t: TestContext): Promise<boolean> => needs(t, '/usr/lib/python3/dist-packages/websockets/__init__.py')

/** Runs an example as its reader would, on a free port; gives the address that it prints. */
export const startPythonExample = async (t: Scope, name: string, settings: Record<string, string>): Promise<string> => {
  const example = spawn(python, [join(root, 'examples', name, 'assistant.py')], {
    env: { ...process.env, ...pythonEnvironment, ...settings, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    example.kill()
    await once(example, 'exit')
  })
  const [line] = (await once(createInterface(example.stdout), 'line')) as [string]
  return line
}
