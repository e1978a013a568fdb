import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { Scope } from '../machine/temporary-folder.ts'
import { needs } from '../peers/debian.ts'

const root = join(import.meta.dirname, '../../..')

/** Debian's Python, with Debian's packages. */
export const python = '/usr/bin/python3'
export const pythonPackage = join(root, 'packages/python')

/** Finds the package in the sources, and writes nothing next to them. */
export const pythonEnvironment = { PYTHONPATH: join(pythonPackage, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** Python, and the dependencies of the package for serving. */
export const needsPython = (t: TestContext): Promise<boolean> => needs(t, '/usr/lib/python3/dist-packages/websockets/__init__.py')

/** Runs an assistant on a free port; returns the printed address. */
export const startPython = async (t: Scope, file: string, settings: Record<string, string> = {}): Promise<string> => {
  const child = spawn(python, [file], {
    env: { ...process.env, ...pythonEnvironment, ...settings, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line
}

/** Runs an example as its reader would. */
export const startPythonExample = (t: Scope, name: string, settings: Record<string, string>): Promise<string> =>
  startPython(t, join(root, 'examples', name, 'assistant.py'), settings)
